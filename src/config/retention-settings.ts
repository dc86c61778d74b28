import { retentionDaysMax } from '../../events/facts/retention.ts';
import * as a from './setting.ts';

/** Settings of how long audio and notes are kept. */
export const retentionSettings = {
  'retention.audio_days': a.number(a.whole(1, retentionDaysMax).nullable(), null, {
    title: { en: 'Delete audio', de: 'Audio löschen' },
    hint: {
      en: 'Days after the recording began. If empty, never. Each person and folder can have another period.',
      de: 'Tage nach dem Beginn der Aufnahme. Ohne Angabe nie. Personen und Ordner können eine eigene Frist haben.',
    },
  }),
  'retention.notes_days': a.number(a.whole(1, retentionDaysMax).nullable(), null, {
    title: { en: 'Delete notes', de: 'Notizen löschen' },
    hint: {
      en: 'Days after the recording began: the whole note, with its audio, permanently. If empty, never.',
      de: 'Tage nach dem Beginn der Aufnahme: die ganze Notiz mit ihrem Audio, endgültig. Ohne Angabe nie.',
    },
  }),
  'retention.longest': a.yesOrNo(false, {
    title: { en: 'No longer periods', de: 'Keine längeren Fristen' },
    hint: {
      en: 'Nobody can keep audio or notes longer than set here, except what is protected from deletion.',
      de: 'Niemand kann Audio oder Notizen länger aufbewahren als hier festgelegt, außer was vor dem Löschen geschützt ist.',
    },
  }),
} as const;
