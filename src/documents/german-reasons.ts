import { noDiarizationModel } from '../../projections/recording/notes.ts';
import { type Phrases, germanBy } from '../shared/german.ts';

/**
 * Why something was not made, in German. The log has the sentence in English (reasons of `src/language` and
 * `src/recordings/stages/finish.ts`). What a server said itself stays as it is. Documents say it so: a change
 * here is a change of `rendererVersion`.
 */
export function germanReason(reason: string): string {
  return toGerman(reason) ?? reason;
}

/** With what a server said itself behind it, or without. */
const orSaid = (english: string, german: string): Phrases => ({
  [`${english}.`]: `${german}.`,
  [`${english}: {said}`]: `${german}: {said}`,
});

const server = 'The language-model server at {server}';

const dieser = 'Der Sprachmodell-Server unter {server}';

const model = 'The language model at {server}';

const dieses = 'Das Sprachmodell unter {server}';

/** Why a server does not answer as it should (`server-failure.ts`, `outbound.ts`), in German. */
const germanServers: Phrases = {
  'The language-model server at {server}': 'Der Sprachmodell-Server unter {server}',
  'the language-model server at {server}': 'dem Sprachmodell-Server unter {server}',
  '{server} answered with more than {size}, which cannot be an answer.':
    '{server} hat mit mehr als {size} geantwortet.',
  'The name {name} leads to a link-local or metadata address, to which nothing is sent.':
    'Der Name {name} führt zu einer link-lokalen oder Metadaten-Adresse; dorthin wird nichts gesendet.',
  'It says: {said}': 'Er sagt: {said}',
  '{server} redirects to {address}.': '{server} leitet weiter nach {address}.',
  'Set {setting} to that address.': 'Mit {setting} diese Adresse angeben.',
  '{server} does not accept the API key ({setting}).':
    '{server} nimmt den Schlüssel nicht an ({setting}).',
  '{server} does not know this address or model.':
    '{server} kennt diese Adresse oder dieses Modell nicht.',
  'Check stt.base_url, stt.backend and stt.model.':
    'stt.base_url, stt.backend und stt.model prüfen.',
  'Check llm.base_url and llm.model.': 'llm.base_url und llm.model prüfen.',
  'The account at {server} has no credit left.': 'Das Konto bei {server} ist erschöpft.',
  '{server} is busy.': '{server} ist beschäftigt.',
  '{server} is not ready (HTTP {status}).': '{server} ist nicht bereit (HTTP {status}).',
  '{server} cannot do this (HTTP {status}).': '{server} kann das nicht (HTTP {status}).',
  '{server} failed (HTTP {status}).': '{server} ist gescheitert (HTTP {status}).',
  '{server} did not accept the request (HTTP {status}).':
    '{server} hat die Anfrage nicht angenommen (HTTP {status}).',
  'The certificate of {server} is not trusted here ({code}).':
    'Dem Zertifikat von {server} wird hier nicht vertraut ({code}).',
  '{server} does not speak HTTPS: try http://.': '{server} spricht kein HTTPS: http:// versuchen.',
  '{server} stopped in the middle of its answer.': '{server} hat mitten in der Antwort aufgehört.',
  '{server} broke off in the middle of its answer ({code}).':
    '{server} hat mitten in der Antwort abgebrochen ({code}).',
  '{server} closes connections without an answer ({code}).':
    '{server} schließt Verbindungen ohne Antwort ({code}).',
  '{server} cannot be reached ({code}).': '{server} ist nicht erreichbar ({code}).',
  '{server} broke the connection off ({code}).':
    '{server} hat die Verbindung abgebrochen ({code}).',
  'no reason given': 'ohne Grund',
};

/** Reasons, English to German. */
export const germanReasons: Phrases = {
  [noDiarizationModel]:
    'Um Sprechende zu unterscheiden, pyannote-segmentation-3 installieren (in den Einstellungen unter Modelle oder mit „npx mitschrift models install pyannote-segmentation-3“) und die Aufnahme erneut verarbeiten.',
  // Of earlier releases.
  'To tell speakers apart, put a model for speaker segmentation and one for speaker embedding into the folder “models” of the data directory, then process the recording again.':
    'Um Sprechende zu unterscheiden, ein Modell zur Sprecher-Segmentierung und eines für Stimm-Embeddings in den Ordner „models“ des Datenverzeichnisses legen und die Aufnahme erneut verarbeiten.',
  'track {used} of {of}': 'Spur {used} von {of}',

  // Servers, some as earlier releases said it
  ...germanServers,
  [`${server} cannot be reached ({code}).`]: `${dieser} ist nicht erreichbar ({code}).`,
  [`${server} gave no answer within {seconds} seconds.`]: `${dieser} hat innerhalb von {seconds} Sekunden nicht geantwortet.`,
  'The certificate of {server} is not trusted ({code}).':
    'Dem Zertifikat von {server} wird nicht vertraut ({code}).',
  [`${server} sends us elsewhere, to {url}. Enter that address if you trust it.`]: `${dieser} leitet weiter nach {url}.`,
  [`${server} answered something that is not JSON. Is that the address of an API?`]: `${dieser} hat nicht mit gültigem JSON geantwortet.`,
  [`${server} answered with broken JSON.`]: `${dieser} hat nicht mit gültigem JSON geantwortet.`,
  ...orSaid(`${server} has too small a context`, `${dieser} hat einen zu kleinen Kontext`),
  ...orSaid(`${server} refuses the content`, `${dieser} lehnt den Inhalt ab`),
  ...orSaid(
    `${server} does not accept the key ({status})`,
    `${dieser} nimmt den Schlüssel nicht an ({status})`,
  ),
  ...orSaid(
    `${server} says that the quota is used up`,
    `${dieser} meldet, das Kontingent sei aufgebraucht`,
  ),
  ...orSaid(`${server} answered {status}`, `${dieser} hat mit {status} geantwortet`),
  [`${server} lists no model. Install one there, or set llm.model.`]: `${dieser} bietet kein Modell an.`,

  // The language model
  [`${model} read only {read} tokens of a prompt of at least {least}. Give it a larger context, or set llm.context to the one it has.`]: `${dieses} hat nur {read} von mindestens {least} Token gelesen: Sein Kontext ist zu klein.`,
  [`${model} refuses this content.`]: `${dieses} lehnt den Inhalt ab.`,
  [`${model} did not come to an end of its answer.`]: `${dieses} ist mit der Antwort nicht zu Ende gekommen.`,
  [`${model} declined to answer.`]: `${dieses} hat nicht antworten wollen.`,
  [`${model} gave an empty answer.`]: `${dieses} hat leer geantwortet.`,
  'The language model gave no title: its answer {why}.':
    'Das Sprachmodell hat nichts Brauchbares geantwortet: Die Antwort {why}.',
  'The language model gave no summary: its answer {why}.':
    'Das Sprachmodell hat nichts Brauchbares geantwortet: Die Antwort {why}.',

  // Why an answer is of no use (`whyUnusable` in `src/language/unusable.ts`, and the checks of the stages)
  'holds no title': 'enthält keinen Titel',
  'has a title of more than a line': 'hat einen Titel von mehr als einer Zeile',
  'has JSON for a title': 'hat JSON als Titel',
  'has the word “title” for a title': 'hat als Titel das Wort „Titel“',
  'is too short': 'ist zu kurz',
  'holds characters that cannot be read': 'enthält unlesbare Zeichen',
  'says the same over and over': 'wiederholt sich immerzu',
  'declines to do it': 'lehnt die Aufgabe ab',
  'repeats what was asked for': 'wiederholt die Aufgabe',
  'repeats the text': 'wiederholt den Text',
  'is in another language': 'ist in einer anderen Sprache',
  'is empty': 'ist leer',

  // The local engine
  'The local speech engine ended unexpectedly ({how}).':
    'Das lokale Sprachprogramm endete unerwartet ({how}).',
  'by {signal}': '{signal}',
  'with code {code}': 'Code {code}',
  'The local speech engine could not be started ({why}).':
    'Das lokale Sprachprogramm ließ sich nicht starten ({why}).',
  'The local speech engine could not do it: {why}':
    'Das lokale Sprachprogramm konnte es nicht: {why}',
  'The model {id} cannot be used: {why}. Put it into {folder} again.':
    'Das Modell {id} ist nicht zu gebrauchen ({why}); es gehört neu nach {folder}.',

  // Audio
  'Only WAV files can be read here. {rest}':
    'Hier können nur WAV-Dateien gelesen werden; für alle anderen fehlt ffmpeg.',
  'The audio is longer than {hours} hours. {rest}': 'Die Aufnahme ist länger als {hours} Stunden.',
  'The audio is longer than {hours} hours.': 'Die Aufnahme ist länger als {hours} Stunden.',
  'The WAV file cannot be used: {why}.': 'Die WAV-Datei ist nicht zu gebrauchen: {why}.',
  'Reading this file would take more memory than {megabytes} MB.':
    'Diese Datei zu lesen brauchte mehr als {megabytes} MB Arbeitsspeicher.',

  'No language model is configured.': 'Es ist kein Sprachmodell eingerichtet.',
  'The context of the language model is too small to merge the summaries of this recording.':
    'Der Kontext des Sprachmodells ist zu klein, um die Zusammenfassungen dieser Aufnahme zu verbinden.',
  'The local speech engine stopped answering.': 'Das lokale Sprachprogramm antwortete nicht mehr.',
  'It failed with an error of the program’s own.': 'Ein Fehler im Programm selbst.',
  'The language model answered with no list of names.':
    'Das Sprachmodell hat keine Liste von Namen geantwortet.',
  'There is no audio.': 'Es gibt keine Audiodatei.',
  'The working copy of the audio is damaged and has to be made again.':
    'Die Arbeitskopie der Aufnahme ist beschädigt und muss neu gemacht werden.',
  'The file is empty.': 'Die Datei ist leer.',
  'The file holds no audio.': 'Die Datei enthält keinen Ton.',
  'The file is protected against copying (DRM) and can be played only by its shop’s player.':
    'Die Datei ist kopiergeschützt (DRM).',
  'ffmpeg stopped answering while it read the audio.':
    'ffmpeg antwortete nicht mehr, während es die Aufnahme las.',
  'ffmpeg could not decode any audio from this file: it is damaged.':
    'ffmpeg konnte aus dieser Datei keinen Ton lesen: Sie ist beschädigt.',
  'This file has no sound track.': 'Diese Datei hat keine Tonspur.',
  'This MP4 file is incomplete: its table of contents is missing, so nothing in it can be found. Copy or export it again.':
    'Diese MP4-Datei ist unvollständig: Ihr Inhaltsverzeichnis fehlt.',
  'The ffmpeg on this machine has no decoder for the sound in this file.':
    'Das ffmpeg auf diesem Rechner hat keinen Decoder für den Ton dieser Datei.',
  'This is a playlist or another kind of file that refers to audio elsewhere and holds none.':
    'Das ist eine Abspielliste oder eine andere Datei, die selbst keinen Ton enthält.',
  'The audio file is gone or may not be read.':
    'Die Audiodatei ist fort oder darf nicht gelesen werden.',
  'The sound track of this file is damaged from its start: nothing could be decoded.':
    'Die Tonspur dieser Datei ist von Anfang an beschädigt.',
  'This is not an audio file that can be read.': 'Das ist keine lesbare Audiodatei.',
};

const toGerman = germanBy(germanReasons);
