import type { Words } from './sentences.ts';
import type { labelsOfDocuments } from './labels-of-documents.ts';

export const labelsOfDocumentsInGerman = {
  transcript: 'Transkript',
  summary: 'Zusammenfassung',
  remarks: 'Hinweise',
  source: 'Quelle',
  speaker: 'Sprecher {number}',
  'speaking-time': 'Redezeit',
  percent: '{share}',
  decision: 'Entscheidungen',
  task: 'Aufgaben',
  open: 'Offene Fragen',
  point: 'Wichtigste Punkte',
  'my-sidenotes': 'Meine Randnotizen',
  sidenotes: 'Randnotizen',
  sidenote: 'Randnotiz',
  moment: 'Gemerkter Moment',
  'moment-of': 'Gemerkter Moment: „{words}“',
  'not-found': 'nicht in dem gefunden, was {name} gesagt hat',
  'not-recorded': '{from}–{to} nicht aufgenommen',
  'not-recorded-because': {
    detail: '{from}–{to} nicht aufgenommen ({reason})',
    choices: {
      reason: {
        call: 'Anruf oder andere App',
        muted: 'Mikrofon vom System stummgeschaltet',
        gone: 'Mikrofon getrennt',
        asleep: 'Gerät im Ruhezustand',
      },
    },
  },
  'no-speech': 'Es wurde keine Sprache gefunden.',
  'no-summary': 'Es gibt keine Zusammenfassung.',
  doubts: {
    detail: {
      one: 'Eine Stelle wurde möglicherweise falsch verstanden:',
      other: '{count} Stellen wurden möglicherweise falsch verstanden:',
    },
  },
  'more-doubts': 'und {count} weitere',
  repetition: 'Wiederholung',
  prompt: 'nur Wörter, die der Spracherkennung vorgegeben wurden; vielleicht sprach niemand',
  'low-confidence': 'die Spracherkennung war unsicher',
  'no-speech-here': 'vielleicht hat hier niemand gesprochen',
  'other-speaker': 'vielleicht hat das jemand anderes gesagt',
  'known-phrase': 'eine Floskel, die Spracherkennung bei Stille oft erfindet',
} satisfies Words<typeof labelsOfDocuments>;
