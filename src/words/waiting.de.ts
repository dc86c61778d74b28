import type { Words } from './sentences.ts';
import type { waitingWords } from './waiting.ts';

export const waitingInGerman = {
  'speech-recognition': 'die Spracherkennung',
  'speaker-recognition': 'die Sprechererkennung',
  'language-model': 'das Sprachmodell',
  documents: 'andere Dokumente',
  'continued-note': 'die Notiz, die sie fortsetzt',
  'replacing-note': 'die Notiz, durch die sie ersetzt wird',
  saving: 'den Speichervorgang',
  'disk-space': 'freien Speicherplatz',
  files: 'den Dateispeicher',
  'recording-alone': 'eine Aufnahme, die allein verarbeitet werden muss',
  'all-others': 'alle anderen Aufnahmen, da diese allein verarbeitet wird',
  'next-attempt': 'Versuch {attempt} von {limit}[, um {at}]',
} satisfies Words<typeof waitingWords>;
