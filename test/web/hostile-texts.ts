/** What names of files, people and meetings may be: long, old, from right to left, without letters. */
import { type ToldMeeting, readingRoom, turnsOf } from './told-meetings.ts';

/** A file name of 120 characters without a place to break it. */
export const longName = `2026-11-23_Interview_mit_Frau_Dr_${'Oberstudienraetin_'.repeat(5)}`.slice(
  0,
  120,
);
export const arabicTitle = 'افتتاح قاعة القراءة في آذار';
export const longPerson = 'Maximiliane Freifrau von und zu Hohenlohe-Waldenburg-Schillingsfürst';

/** Three meetings: a long word for a title, Arabic of 2024, and signs alone. */
export const hostileMeetings: readonly ToldMeeting[] = [
  {
    ...readingRoom,
    title: longName,
    abstract: `The file is called ${longName}.`,
    names: { ...readingRoom.names, SPEAKER_01: longPerson },
    lines: [
      {
        kind: 'decision',
        text: longName,
        speaker: null,
        person: null,
        due: null,
        block: 't-0001',
      },
    ],
  },
  {
    title: arabicTitle,
    upTo: 'written',
    startedAt: '2024-02-03T08:00:00Z',
    names: { SPEAKER_00: 'ليلى' },
    abstract: 'يبقى الافتتاح يوم السبت في السادس من آذار.',
    turns: turnsOf([[1, 0, 'نبدأ بقاعة القراءة ثم بالمصعد وبعد ذلك بالجوقة.']]),
  },
  {
    title: '🎻🎺🥁 👩‍👩‍👧‍👦',
    upTo: 'written',
    startedAt: '2026-11-19T08:00:00Z',
    names: { SPEAKER_00: '🎻' },
    abstract: '🎻',
    turns: turnsOf([[1, 0, `🎻🎺 ${'🥁'.repeat(60)} ${longName}`]]),
  },
];
