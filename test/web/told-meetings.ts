import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Fact } from '../../events/facts/catalogue.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { speakerLabel } from '../../projections/recording/join-turns.ts';
import { synthesise, writeDialogue } from '../support/dialogues.ts';
import { factTeller } from '../support/fact-teller.ts';
import { seeded } from '../support/seeded.ts';

/** A meeting as its pages show it: what was said, by whom, and what came of it. */
export type ToldMeeting = {
  title: string;
  turns: Block[];
  /** By label. */
  names: Record<string, string>;
  lines?: SummaryLine[];
  abstract?: string;
  startedAt?: string;
  /** How far it is told: it waits for names, or only the documents are still to be written. */
  upTo: 'waiting' | 'written';
  /** Names suggested for labels, with reasons. */
  suggestions?: Record<string, { name: string; confidence: number; reason: string }>;
};

/**
 * Writes meetings into the log of a service that is not running, as its stages would have. The service takes
 * them up when it starts.
 * @param owner id of the user whose they are; default: the first
 * @returns ids of the recordings, in the order given
 */
export async function tellMeetings(
  dataDir: string,
  meetings: readonly ToldMeeting[],
): Promise<string[]> {
  const store = await openLog({
    directory: join(dataDir, 'log'),
    keys: await openFileKeys(join(dataDir, 'keys')),
  });
  try {
    let owner = '';
    for await (const fact of store.read('users', { limit: 1 }))
      if ('user_id' in fact.data) owner = fact.data.user_id;
    const teller = factTeller(store);
    const ids: string[] = [];
    for (const meeting of meetings) {
      const id = ulid();
      ids.push(id);
      const duration = Math.max(...meeting.turns.map(({ end }) => end)) + 1;
      const file = await audioOf(dataDir, id, meeting.turns, duration);
      let attempt = 0;
      for (const [fact, to, of] of factsOf(meeting, { owner, duration, file })) {
        // Each start of a stage is another attempt; what a stage answers belongs to its own.
        if (fact.type === 'stage.started') attempt += 1;
        await teller.of(id, fact, to, { run: 1, attempt: of ?? Math.max(1, attempt), by: owner });
      }
    }
    return ids;
  } finally {
    await store.close();
  }
}

const worker = { engine: 'local', model: 'parakeet-tdt-0.6b-v3' };
const writer = { engine: 'openai', model: 'qwen3:8b' };
const finishing = 'transcribing.finishing(punctuate.running,summarise.running)';

function* factsOf(
  meeting: ToldMeeting,
  about: { owner: string; duration: number; file: { path: string; bytes: number; sha256: string } },
): Iterable<[Fact, string, number?]> {
  const { turns } = meeting;
  const { owner, duration, file } = about;
  const labels = [...new Set(turns.map(({ speaker }) => speaker!))];
  const words = turns.reduce((sum, turn) => sum + turn.words.length, 0);
  const recognising = 'transcribing.recognising';
  const attributing = 'transcribing.attributing(diarize.running,identify.running)';
  const started_at = meeting.startedAt ?? '2026-11-21T14:02:00Z';
  const begun = (stage: Stage): Fact => ({
    type: 'stage.started',
    data: { stage },
  });
  yield [
    {
      type: 'audio.imported',
      data: {
        owner,
        kind: 'meeting',
        language: 'en',
        speakers: null,
        duration,
        started_at,
        ...file,
      },
      content: { filename: 'meeting.wav', title: meeting.title },
    },
    recognising,
  ];
  yield [begun('transcribe'), recognising];
  yield [
    {
      type: 'speech.detected',
      data: { detector: 'none', duration, stretches: [[0, duration]], warnings: [] },
    },
    recognising,
  ];
  const segments = turns.map(({ start, end, text, words: own }) => ({
    start,
    end,
    text,
    words: own,
  }));
  yield [
    {
      type: 'utterance.recognised',
      data: { index: 0, start: 0, end: duration, words, language: 'en' },
      content: { segments },
    },
    recognising,
  ];
  yield [
    {
      type: 'transcription.completed',
      data: { ...worker, language: 'en', utterances: 1, words },
    },
    attributing,
  ];
  yield [begun('diarize'), attributing];
  yield [begun('identify'), attributing];
  yield [
    {
      type: 'diarization.completed',
      data: {
        ...worker,
        turns: turns.map(({ start, end, speaker }) => [start, end, speaker!]),
      },
      content: {
        embedding_model: 'test',
        voices: labels.map((label, at) => ({
          label,
          seconds: 10,
          embedding: labels.map((_, place) => (place === at ? 1 : 0)),
        })),
      },
    },
    'transcribing.attributing(diarize.done,identify.running)',
    2,
  ];
  yield [{ type: 'identification.skipped', data: { reason: 'none' } }, 'transcribing.joining'];
  yield [begun('join'), 'transcribing.joining'];
  const sampleOf = ({ start, end, text }: Block) => ({ start, end, text });
  yield [
    {
      type: 'turns.joined',
      data: {
        speakers: labels.map((label) => ({
          label,
          seconds: turns
            .filter(({ speaker }) => speaker === label)
            .reduce((sum, { start, end }) => sum + end - start, 0),
        })),
      },
      content: {
        turns,
        suggestions: labels.map((label) => {
          const own = turns.filter(({ speaker }) => speaker === label);
          const known = meeting.suggestions?.[label];
          return {
            label,
            name: known?.name ?? null,
            confidence: known?.confidence ?? null,
            reason: known?.reason ?? null,
            sample: sampleOf(own[0]!),
            samples: own.slice(1, 3).map(sampleOf),
          };
        }),
      },
    },
    'awaiting-speakers',
  ];
  if (meeting.upTo === 'waiting') return;
  yield [
    {
      type: 'speakers.named',
      data: { labels: Object.keys(meeting.names) },
      content: { names: meeting.names },
    },
    finishing,
  ];
  yield [begun('punctuate'), finishing];
  yield [begun('summarise'), finishing];
  yield [
    {
      type: 'transcript.punctuated',
      data: { ...writer, parts: 1, kept: [] },
      content: { blocks: turns },
    },
    'transcribing.finishing(punctuate.done,summarise.running)',
    5,
  ];
  yield [
    {
      type: 'summary.completed',
      data: { ...writer, parts: 1, language: 'en' },
      content: { text: meeting.abstract ?? '', lines: meeting.lines ?? [] },
    },
    'transcribing.entitling',
  ];
  yield [begun('entitle'), 'transcribing.entitling'];
  yield [
    {
      type: 'title.chosen',
      data: writer,
      content: { title: meeting.title, abstract: meeting.abstract ?? '' },
    },
    'transcribing.writing',
  ];
}

/** Speech where the turns are; of long meetings a hiss, since hours of speech take long to make. */
async function audioOf(dataDir: string, id: string, turns: readonly Block[], duration: number) {
  const folder = join(dataDir, 'recordings', id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'audio.wav');
  const samples = new Int16Array(Math.ceil(duration * 16_000));
  if (duration < 600) {
    const mixed = await Promise.all(
      turns.map(async ({ start, text, speaker }) => {
        const line = { speaker: Number(speaker!.slice(-2)) % 5, text, gap: -0.3 };
        return { start, samples: (await synthesise([line])).samples };
      }),
    );
    for (const { start, samples: own } of mixed) {
      const at = Math.round(start * 16_000);
      samples.set(own.subarray(0, Math.max(0, samples.length - at)), at);
    }
  } else {
    const random = seeded(2);
    for (const { start, end } of turns) {
      const loud = 2000 + random.below(20_000);
      for (let at = Math.round(start * 16_000); at < end * 16_000; at += 7) samples[at] = loud;
    }
  }
  await writeDialogue(path, samples);
  const bytes = await readFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path: 'audio.wav', bytes: bytes.length, sha256 };
}

/** Lines `[seconds, speaker, text]` as turns whose words have times. */
export function turnsOf(lines: readonly (readonly [number, number, string])[]): Block[] {
  return lines.map(([start, speaker, text], at) => {
    const all = text.split(' ');
    // As fast as espeak-ng speaks.
    const each = 0.31;
    const end = Math.min(start + all.length * each, (lines[at + 1]?.[0] ?? Infinity) - 0.2);
    const one = (end - start) / all.length;
    return {
      id: `t-${String(at + 1).padStart(4, '0')}`,
      speaker: speakerLabel(speaker),
      start,
      end,
      text,
      words: all.map((word, k) => ({
        text: word,
        start: start + k * one,
        end: start + (k + 1) * one - 0.02,
      })),
    };
  });
}

/** The meeting of the mocks: three people, nine turns, a summary whose lines rest on turns. */
export const readingRoom: ToldMeeting = {
  title: 'The reading room opens again in March',
  upTo: 'written',
  names: { SPEAKER_00: 'Ada Muster', SPEAKER_01: 'Ben Beispiel', SPEAKER_02: 'Cleo Sample' },
  abstract:
    'The opening stays on Saturday, 6 March. The carpet is ordered, the lift will be inspected on 12 February, ' +
    'and the school choir is asked to sing.',
  turns: turnsOf([
    [
      1,
      0,
      'Good, then we are complete. Today it is only the reading room: where the building work stands, when we open, and who does what until then. Ben, will you begin?',
    ],
    [
      13,
      1,
      'Gladly. The plaster is dry, they measured it again on Thursday. The floor in the back comes out next week, and the carpet is ordered. It arrives in the first week of February.',
    ],
    [26, 2, 'All of it, or only the rolls for the front?'],
    [
      30,
      1,
      'All of it. I asked twice. The joiner needs two days after that for the skirting boards, so we could put the shelves back from the ninth.',
    ],
    [
      40,
      0,
      'And the lift? Without the lift we cannot open to everybody, and then I would rather not open at all.',
    ],
    [
      48,
      1,
      'The inspection is on the twelfth of February. If they find something, we lose a week; the fitter from Obermühl says that is unlikely.',
    ],
    [
      57,
      2,
      'So the sixth of March is safe either way. Then let us print it. The school choir would like to sing, I would ask them this week.',
    ],
    [67, 0, 'Please do. And until when do you need to know about the programme?'],
    [72, 2, 'By the fourth of December, otherwise the parish letter goes out without us.'],
    [
      79,
      1,
      'Then there is the matter of Sundays. The council wanted to talk about it in autumn, and has not. I would put it on the list as open.',
    ],
    [
      89,
      0,
      'Yes, open. We plan for six days and keep Sunday in mind. The heating can do it, I asked the caretaker.',
    ],
  ]),
  lines: (
    [
      ['decision', 'The reading room opens on Saturday, 6 March.', null, null, 't-0007'],
      [
        'decision',
        'Shelves go back from 9 February, before the skirting boards if need be.',
        null,
        null,
        't-0004',
      ],
      ['task', 'asks the school choir', 'SPEAKER_02', '4 December', 't-0009'],
      ['task', 'tells the council the date of the lift inspection', 'SPEAKER_01', null, 't-0006'],
      ['open', 'Whether the house opens on Sundays.', null, null, 't-0010'],
    ] as const
  ).map(([kind, text, speaker, due, block]) => ({ kind, text, speaker, person: null, due, block })),
};

/** A meeting that waits for the names of four voices, two of which are one. */
export const choirBoard: ToldMeeting = {
  title: 'Choir board, autumn',
  upTo: 'waiting',
  startedAt: '2026-11-22T08:20:00Z',
  names: {},
  suggestions: {
    SPEAKER_00: { name: 'Ada Muster', confidence: 0.93, reason: 'voice' },
    SPEAKER_01: {
      name: 'Ben Beispiel',
      confidence: 0.6,
      reason: '“Ben, you were at the town hall”',
    },
  },
  turns: turnsOf([
    [1, 0, 'Then I would say we begin with the concert and leave the money for the end.'],
    [7, 1, 'I have been to the town hall, and the big room is free on the third of Advent.'],
    [13, 2, 'If we sing it in German, I can have the sheets ready by Sunday.'],
    [18, 3, 'Mhm. Yes, that would do for me as well.'],
    [22, 0, 'Then that is what we do. Who asks the organist?'],
    [26, 1, 'I can ask him on Wednesday, he has to be there anyway.'],
    [31, 2, 'And the printer has to know by Friday how many sheets we want.'],
  ]),
};

/** Ten people: three hours, 30,000 words in 3,000 turns, unless told otherwise; one word is said once, near the end. */
export function longMeeting({ turns = 3000, wordsEach = 10 } = {}): ToldMeeting {
  const random = seeded(7);
  const vocabulary =
    'the reading room opens again when every shelf stands where it did and nobody has to ask for a book twice'.split(
      ' ',
    );
  const labels = Array.from({ length: 10 }, (_, at) => speakerLabel(at));
  return {
    title: 'Three hours about everything',
    upTo: 'written',
    startedAt: '2026-11-20T09:00:00Z',
    names: Object.fromEntries(labels.map((label, at) => [label, `Person ${'ABCDEFGHIJ'[at]}`])),
    abstract: 'A long day.',
    turns: turnsOf(
      Array.from({ length: turns }, (_, at) => [
        at * 3.6,
        at < 10 ? at : random.below(10),
        [
          ...Array.from(
            { length: wordsEach - 1 },
            () => vocabulary[random.below(vocabulary.length)]!,
          ),
          at === turns - 20 ? 'Zwetschgenkuchen.' : 'today.',
        ].join(' '),
      ]),
    ),
    lines: [],
  };
}
