import { type Words, tellAdministrator } from './sentences.ts';
import type { failuresOfSpeech } from './failures-of-speech.ts';

export const failuresOfSpeechInGerman = {
  'no-speech-recognition': {
    detail: 'Es ist keine Spracherkennung eingerichtet.',
    todo: 'Die Aufnahme wird transkribiert, sobald ein Modell oder ein Server eingerichtet ist.',
    admin:
      'Installieren Sie unter Einstellungen › Modelle ein Modell, oder geben Sie einen Spracherkennungsserver an (`stt.base_url`).',
  },
  'speech-package-missing': {
    detail: 'Auf diesem Server ist die Spracherkennung nicht installiert.',
    todo: tellAdministrator.de,
    admin: 'Das Paket sherpa-onnx-node fehlt: Führen Sie `npm install` erneut aus.',
  },
  'speech-model-not-installed': {
    detail: 'Das Modell für Spracherkennung {model} ist nicht installiert.',
    todo: 'Wählen Sie ein anderes, oder bitten Sie einen Administrator, es zu installieren.',
  },
  'language-not-supported': {
    detail: 'Kein installiertes Modell unterstützt {language}.',
    todo: 'Wählen Sie eine andere Sprache, oder bitten Sie einen Administrator, ein passendes Modell zu installieren.',
    admin: 'Installiert: {models}.',
  },
  'model-damaged': {
    detail: 'Das Modell {model} ist beschädigt.',
    todo: 'Ein Administrator muss es neu installieren.',
    admin: 'Datei {file}: {fault}.',
    choices: {
      fault: {
        missing: 'fehlt',
        size: 'hat {found} statt {expected} Byte',
        checksum: 'hat eine andere Prüfsumme',
        'not-listed': 'steht nicht auf der Liste des Modells',
      },
    },
  },
  'speech-crashed': {
    detail: 'Die Spracherkennung auf dem Server endete unerwartet.',
    todo: 'Versuchen Sie es erneut. Passiert es wieder, hat der Server vielleicht zu wenig Arbeitsspeicher.',
    admin: '[Signal {signal}.][Exit-Code {exit}.]',
  },
  'speech-not-started': {
    detail: 'Die Spracherkennung auf dem Server konnte nicht gestartet werden.',
    todo: 'Versuchen Sie es erneut, oder informieren Sie einen Administrator.',
    admin: '{cause}',
  },
  'speech-failed': {
    detail: 'Die Spracherkennung auf dem Server hat einen Fehler gemeldet.',
    todo: 'Versuchen Sie es erneut, oder informieren Sie einen Administrator.',
    admin: '{cause}',
  },
  'speech-stalled': {
    detail: 'Die Spracherkennung auf dem Server reagiert nicht mehr.',
    todo: 'Versuchen Sie es erneut.',
  },
  'model-not-choosable': {
    detail:
      'Das Modell {model} wurde gewählt, aber der Spracherkennungsserver bietet keine Auswahl.',
    todo: 'Transkribieren Sie neu, ohne ein Modell zu wählen.',
  },
  'speech-server-gave-up': {
    detail: 'Der Spracherkennungsserver war {waited} lang nicht erreichbar.',
    todo: 'Versuchen Sie es erneut, wenn er läuft; Mitschrift versucht es auch selbst wieder, sobald er antwortet.',
    admin: '{server}',
  },
  'speech-server-lost': {
    detail: 'Der Spracherkennungsserver ist während der Transkription ausgefallen.',
    todo: 'Mitschrift versucht es erneut.',
    admin: '{server}',
  },
  'speech-server-stalled': {
    detail: 'Der Spracherkennungsserver hat nicht innerhalb von {limit} geantwortet.',
    todo: 'Versuchen Sie es erneut, oder informieren Sie einen Administrator.',
    admin: '{server}',
  },
  'speech-server-silent': {
    detail: 'Der Spracherkennungsserver reagiert nicht; vielleicht ist er ausgelastet.',
    todo: 'Mitschrift versucht es weiter.',
    admin: '{server}',
  },
  'speech-server-loading': {
    detail: 'Der Spracherkennungsserver lädt sein Modell oder konnte es nicht laden.',
    todo: 'Mitschrift versucht es weiter.',
    admin: '{server}',
  },
  'speech-server-not-found': {
    detail: 'Der Spracherkennungsserver kennt die Adresse oder das Modell nicht.',
    todo: tellAdministrator.de,
    admin:
      'Prüfen Sie Adresse, Protokoll und Modell (`stt.base_url`, `stt.backend`, `stt.model`). {server}[. Antwort: „{said}“]',
  },
  'speech-server-web-page': {
    detail: 'Der Spracherkennungsserver hat eine Webseite statt eines Transkripts geschickt.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie die Adresse (`stt.base_url`). {server}',
  },
  'speech-server-too-large': {
    detail:
      'Der Spracherkennungsserver weist das Audio als zu groß zurück[, selbst in Stücken von {least}].',
    todo: tellAdministrator.de,
    admin: 'Vielleicht begrenzt ein Proxy davor die Uploads. {server}',
  },
  'speech-answer-unreadable': {
    detail: 'Die Antwort des Spracherkennungsservers ist nicht lesbar.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: {fault}',
    choices: {
      fault: {
        'no-text': 'sie enthält keinen Text',
        'not-an-object': 'sie ist kein Objekt',
        'broke-off': 'sie brach ab',
        'not-a-transcript': 'sie ist kein Transkript',
        'too-large': 'sie ist größer als {limit}',
      },
    },
  },
  'no-speaker-model': {
    detail: 'Es ist kein Modell für Sprechererkennung installiert.',
    todo: 'Bitten Sie einen Administrator, eines zu installieren, und verarbeiten Sie die Aufnahme danach neu.',
    admin:
      'Einstellungen › Modelle: Installieren Sie „Pyannote segmentation 3.0“ (`npx mitschrift models install pyannote-segmentation-3`).',
  },
  'no-names-answered': 'Das Sprachmodell hat keine Liste von Namen geliefert.',
} satisfies Words<typeof failuresOfSpeech>;
