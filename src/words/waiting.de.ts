import type { Words } from './sentences.ts';
import type { waitingWords } from './waiting.ts';

export const waitingInGerman = {
  'speech-recognition': { detail: 'die Spracherkennung' },
  'speaker-recognition': { detail: 'die Sprechererkennung' },
  'language-model': { detail: 'das Sprachmodell' },
  documents: { detail: 'andere Dokumente' },
  saving: { detail: 'den Speichervorgang' },
  'disk-space': { detail: 'freien Speicherplatz' },
  files: { detail: 'den Dateispeicher' },
  'speech-server-silent': { detail: 'den Spracherkennungsserver (antwortet gerade nicht)' },
} satisfies Words<typeof waitingWords>;
