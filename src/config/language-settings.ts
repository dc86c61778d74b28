import { serverUrl } from '../servers/server.ts';
import * as a from './setting.ts';

/** Settings of the language model, and of the server by which passages are found by their meaning. */
export const languageSettings = {
  'llm.base_url': a.text(serverUrl.nullable(), null, {
    title: { en: 'Language model server', de: 'Sprachmodell-Server' },
    hint: {
      en: 'OpenAI-compatible. If empty, summaries are taken from the transcript, titles from the transcript or the name of the file.',
      de: 'OpenAI-kompatibel. Ohne Angabe wird die Zusammenfassung dem Transkript entnommen, der Titel dem Transkript oder dem Dateinamen.',
    },
  }),
  'llm.model': a.text(a.line.nullable(), null, {
    title: { en: 'Model', de: 'Modell' },
    hint: {
      en: 'If empty, the first model on the server.',
      de: 'Ohne Angabe das erste Modell auf dem Server.',
    },
  }),
  'llm.api_key': a.text(a.key.nullable(), null, {
    title: { en: 'API key', de: 'API-Schlüssel' },
    hint: { en: 'For the language model server.', de: 'Für den Sprachmodell-Server.' },
    secret: true,
  }),
  'llm.context': a.number(a.whole(512, 100_000_000).nullable(), null, {
    title: { en: 'Context window', de: 'Kontextfenster' },
    hint: {
      en: 'In tokens. If empty, the server’s own value, or one found by trying.',
      de: 'In Token. Ohne Angabe der Wert des Servers, sonst ein durch Versuche gefundener.',
    },
  }),
  'llm.timeout': a.number(a.whole(1, 86_400), 600, {
    title: { en: 'Time limit', de: 'Zeitlimit' },
    hint: {
      en: 'How many seconds the language model may take for an answer.',
      de: 'Wie viele Sekunden eine Antwort des Sprachmodells dauern darf.',
    },
  }),
  'llm.ahead': a.yesOrNo(false, {
    title: { en: 'Punctuation during recording', de: 'Satzzeichen während der Aufnahme' },
    hint: {
      en: 'Adds punctuation while one person is still being recorded, as long as transcription keeps up.',
      de: 'Setzt bei Aufnahmen einer einzelnen Person schon währenddessen Satzzeichen, solange die Transkription mitkommt.',
    },
  }),
  'embeddings.base_url': a.text(serverUrl.nullable(), null, {
    title: { en: 'Embedding server', de: 'Embedding-Server' },
    hint: {
      en: 'OpenAI-compatible, such as Ollama. It is sent every transcript. If empty, notes are found by their words alone.',
      de: 'OpenAI-kompatibel, etwa Ollama. Alle Transkripte werden an ihn gesendet. Ohne Angabe werden Notizen nur nach ihren Wörtern gefunden.',
    },
  }),
  'embeddings.model': a.text(a.line.nullable(), null, {
    title: { en: 'Model', de: 'Modell' },
    hint: {
      en: 'If empty, the first model for embeddings on the server. With another model, all transcripts are sent again.',
      de: 'Ohne Angabe das erste Modell für Embeddings auf dem Server. Mit einem anderen Modell werden alle Transkripte erneut gesendet.',
    },
  }),
  'embeddings.api_key': a.text(a.key.nullable(), null, {
    title: { en: 'API key', de: 'API-Schlüssel' },
    hint: { en: 'For the embedding server.', de: 'Für den Embedding-Server.' },
    secret: true,
  }),
} as const;
