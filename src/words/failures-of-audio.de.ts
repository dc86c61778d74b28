import { type Words, tellAdministrator } from './sentences.ts';
import type { failuresOfAudio } from './failures-of-audio.ts';

export const failuresOfAudioInGerman = {
  'audio-empty': { detail: 'Die Datei ist leer.', todo: 'Wählen Sie eine andere Datei.' },
  'audio-no-samples': {
    detail: 'Die Datei enthält kein Audio.',
    todo: 'Wählen Sie eine andere Datei.',
  },
  'audio-protected': {
    detail:
      'Die Datei ist kopiergeschützt (DRM) und lässt sich nur im Player des Anbieters abspielen.',
    todo: 'Verwenden Sie eine Datei ohne Kopierschutz.',
  },
  'ffmpeg-missing': {
    detail: 'Dieser Server kann nur WAV-Dateien lesen, da ffmpeg nicht installiert ist.',
    todo: 'Wandeln Sie die Datei in WAV um, oder bitten Sie einen Administrator, ffmpeg zu installieren.',
    admin: 'Debian und Ubuntu: `sudo apt install ffmpeg`; macOS: `brew install ffmpeg`.',
  },
  'audio-too-long': {
    detail: 'Das Audio ist länger als {limit}.',
    todo: 'Schneiden Sie es und laden Sie die Teile hoch.',
  },
  'wav-damaged': {
    detail: 'Die WAV-Datei ist beschädigt.',
    todo: 'Exportieren oder kopieren Sie sie neu.',
    admin: '{fault}',
    choices: {
      fault: {
        'header-incomplete': 'Ihr Header ist unvollständig.',
        'no-samples': 'Sie enthält keine Abtastwerte.',
        'no-format': 'Ihr Abtastformat fehlt.',
        channels: 'Ihr Header nennt {channels} Kanäle bei {rate} Hz.',
        'sample-bytes': 'Ihr Header nennt Abtastwerte mit {bytes} Byte.',
      },
    },
  },
  'audio-damaged': {
    detail: 'Die Datei ist beschädigt: Es konnte kein Audio gelesen werden.',
    todo: 'Exportieren oder kopieren Sie sie neu.',
  },
  'mp4-incomplete': {
    detail: 'Die MP4-Datei ist unvollständig: Ihr Index fehlt.',
    todo: 'Exportieren oder kopieren Sie sie neu.',
  },
  'audio-track-damaged': {
    detail: 'Die Tonspur ist von Anfang an beschädigt.',
    todo: 'Exportieren oder kopieren Sie die Datei neu.',
  },
  'no-audio-track': {
    detail: 'Die Datei hat keine Tonspur.',
    todo: 'Wählen Sie eine andere Datei.',
  },
  'not-audio': {
    detail: 'Das ist keine lesbare Audio- oder Videodatei.',
    todo: 'Wählen Sie eine andere Datei.',
  },
  'audio-needs-memory': {
    detail: 'Zum Lesen dieser Datei sind mehr als {limit} Arbeitsspeicher nötig.',
    todo: 'Wandeln Sie sie in WAV um.',
  },
  'no-decoder': {
    detail: 'ffmpeg auf diesem Server kann dieses Audioformat nicht lesen.',
    todo: 'Wandeln Sie die Datei in WAV um.',
  },
  playlist: {
    detail: 'Das ist eine Wiedergabeliste: Sie verweist nur auf Audio an anderer Stelle.',
    todo: 'Wählen Sie die Audiodatei selbst.',
  },
  'audio-file-gone': {
    detail: 'Die Audiodatei fehlt oder lässt sich nicht lesen.',
    admin: 'Prüfen Sie die Rechte des Datenverzeichnisses.',
  },
  'no-audio': 'Diese Aufnahme hat kein Audio.',
  'reading-stalled': {
    detail: 'Das Lesen des Audios dauerte zu lange.',
    todo: 'Versuchen Sie es erneut. Klappt es wieder nicht, wandeln Sie die Datei in WAV um.',
  },
  'working-copy-damaged': {
    detail: 'Die Arbeitskopie des Audios ist beschädigt.',
    todo: 'Versuchen Sie es erneut: Mitschrift erstellt eine neue Kopie aus dem Audio.',
  },
  'flac-failed': {
    detail: 'ffmpeg konnte das Audio nicht komprimieren oder lesen.',
    todo: 'Versuchen Sie es erneut.',
  },
  'flac-differs':
    'Das komprimierte Audio ist nicht identisch mit dem Original; deshalb wurde das Original behalten.',
  'not-flac': {
    detail: 'Das gespeicherte Audio hat nicht das erwartete Format.',
    todo: tellAdministrator.de,
    admin: 'Erwartet: FLAC.',
  },
  'not-16-bit': {
    detail: 'Das gespeicherte Audio hat nicht das erwartete Format.',
    todo: tellAdministrator.de,
    admin: 'Erwartet: WAV mit 16-Bit-Abtastwerten.',
  },
} satisfies Words<typeof failuresOfAudio>;
