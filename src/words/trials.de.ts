import type { Words } from './sentences.ts';
import type { trials } from './trials.ts';

export const trialsInGerman = {
  'language-none':
    'Es ist kein Sprachmodell-Server angegeben: Die Zusammenfassung wird dem Transkript entnommen, der Titel dem Transkript oder dem Dateinamen.',
  'embeddings-none':
    'Es ist kein Embedding-Server angegeben: Notizen werden nur nach ihren Wörtern gefunden.',
  'embeddings-ok': '{model} hat in {time} einen Satz eingebettet, als {dimensions} Zahlen.',
  'local-ready': 'Die Spracherkennung auf diesem Server funktioniert.',
  'server-ready': '{server} ist bereit.',
  'server-no-list': '{server} antwortet, listet aber keine Modelle auf.',
  'server-at-work': '{server} antwortet nicht; vielleicht transkribiert er gerade.',
  'backend-compat':
    '{server} ist ein OpenAI-kompatibler Server: Stellen Sie „Protokoll“ (`stt.backend`) auf compat.',
  'backend-native':
    '{server} ist ein whisper.cpp-Server: Stellen Sie „Protokoll“ (`stt.backend`) auf native.',
  'not-whisper-cpp': '{server} ist kein whisper.cpp-Server (kein /health).',
  'not-whisper-asr': '{server} ist kein whisper-asr-webservice (kein /docs).',
  'cannot-transcribe': '{server} kann nicht transkribieren: Es gibt kein /audio/transcriptions.',
  'no-choice-of-models': 'Server mit dem Protokoll {protocol} bieten keine Auswahl an Modellen.',
  'model-not-there': 'Das Modell {model} ist nicht verfügbar ({key}). Verfügbar: {models}.',
} satisfies Words<typeof trials>;
