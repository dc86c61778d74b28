import type { Words } from './sentences.ts';
import type { waitingWords } from './waiting.ts';

export const waitingInGerman = {
  'speech-recognition': { detail: 'die Spracherkennung' },
  'speaker-recognition': { detail: 'die Sprechererkennung' },
  'language-model': { detail: 'das Sprachmodell' },
  documents: { detail: 'andere Dokumente' },
  'continued-note': { detail: 'die Notiz, die sie fortsetzt' },
  saving: { detail: 'den Speichervorgang' },
  'disk-space': { detail: 'freien Speicherplatz' },
  files: { detail: 'den Dateispeicher' },
  'recording-alone': { detail: 'eine Aufnahme, die allein verarbeitet werden muss' },
  'all-others': { detail: 'alle anderen Aufnahmen, da diese allein verarbeitet wird' },
  'next-attempt': { detail: 'Versuch {attempt} von {limit}[, um {at}]' },
} satisfies Words<typeof waitingWords>;
