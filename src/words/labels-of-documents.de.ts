import type { Words } from './sentences.ts';
import type { labelsOfDocuments } from './labels-of-documents.ts';

export const labelsOfDocumentsInGerman = {
  transcript: { detail: 'Transkript' },
  summary: { detail: 'Zusammenfassung' },
  remarks: { detail: 'Hinweise' },
  source: { detail: 'Quelle' },
  speaker: { detail: 'Sprecher {number}' },
  'speaking-time': { detail: 'Redezeit' },
  percent: { detail: '{share}' },
  decision: { detail: 'Entscheidungen' },
  task: { detail: 'Aufgaben' },
  open: { detail: 'Offene Fragen' },
  point: { detail: 'Wichtigste Punkte' },
  'my-sidenotes': { detail: 'Meine Randnotizen' },
  sidenotes: { detail: 'Randnotizen' },
  sidenote: { detail: 'Randnotiz' },
  moment: { detail: 'Gemerkter Moment' },
  'moment-of': { detail: 'Gemerkter Moment: „{words}“' },
  'not-found': { detail: 'nicht in dem gefunden, was {name} gesagt hat' },
  'not-recorded': { detail: '{from}–{to} nicht aufgenommen' },
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
  'no-speech': { detail: 'Es wurde keine Sprache gefunden.' },
  'no-summary': { detail: 'Es gibt keine Zusammenfassung.' },
  doubts: {
    detail: {
      one: 'Eine Stelle wurde möglicherweise falsch verstanden:',
      other: '{count} Stellen wurden möglicherweise falsch verstanden:',
    },
  },
  'more-doubts': { detail: 'und {count} weitere' },
  repetition: { detail: 'Wiederholung' },
  prompt: {
    detail: 'nur Wörter, die der Spracherkennung vorgegeben wurden; vielleicht sprach niemand',
  },
  'low-confidence': { detail: 'die Spracherkennung war unsicher' },
  'no-speech-here': { detail: 'vielleicht hat hier niemand gesprochen' },
  'other-speaker': { detail: 'vielleicht hat das jemand anderes gesagt' },
  'known-phrase': { detail: 'eine Floskel, die Spracherkennung bei Stille oft erfindet' },
} satisfies Words<typeof labelsOfDocuments>;
