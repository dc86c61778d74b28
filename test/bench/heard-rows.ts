import { channelRates, channelTalk, callLines, echoing } from '../support/channel-talk.ts';
import { linesOf } from '../support/dialogues.ts';
import type { LabelledTurn } from '../../projections/recording/join-turns.ts';
import { seeded } from '../support/seeded.ts';
import { ratesOf } from '../support/speaker-rates.ts';
import { parseTranscript } from '../../src/speech/parse-transcript.ts';
import { withDoubts } from '../../src/speech/doubt.ts';
import { type HeardIn, decidedLanguage } from '../../src/speech/live/decided-language.ts';
import type { Measured } from './measure.ts';

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

/** A call of two who interrupt each other, a person a channel: by the test's recogniser. */
export async function* channelRows(root: string): AsyncIterable<Measured> {
  const call = await channelTalk(callLines(20));
  for (const [whose, talk] of [
    ['a call, a person a channel', call],
    ['the same, loudspeakers in the microphone', { ...call, left: echoing(call, 0.1) }],
  ] as const) {
    const { mix, apart } = await channelRates(talk, root);
    yield {
      what: `${whose}, word error rate, channels apart against their mix`,
      ours: percent(apart),
      bare: percent(mix),
      ratio: apart / mix,
      aim: '≤ 0.6',
    };
  }
}

/**
 * Speakers that nobody is: in the middle of four sentences, 0.8 s are a voice of their own, as telling apart by sound now
 * and then finds (the test's voices are too unlike for that to happen by itself).
 */
export async function* ghostRows(root: string): AsyncIterable<Measured> {
  let [found, left] = [0, 0];
  for (const count of [2, 3, 5]) {
    const { voices, speakers } = await ratesOf(linesOf(count, count * 6), root, withGhosts);
    found += voices - count;
    left += Math.max(0, speakers - count);
  }
  yield {
    what: 'dialogues of 2, 3 and 5 voices, speakers that nobody is: in the transcript against as told apart',
    ours: String(left),
    bare: String(found),
    ratio: left / found,
    aim: 'none',
    met: left === 0,
  };
}

function withGhosts(turns: readonly LabelledTurn[]): LabelledTurn[] {
  const long = turns.filter(([start, end]) => end - start > 2.4);
  const torn = new Set([1, 3, 5, 7].map((at) => long[at]));
  return turns.flatMap((turn, at): LabelledTurn[] => {
    if (!torn.has(turn)) return [turn];
    const [start, end, label] = turn;
    const middle = (start + end) / 2;
    return [
      [start, middle - 0.4, label],
      [middle - 0.4, middle + 0.4, `SPEAKER_${50 + at}`],
      [middle + 0.4, end, label],
    ];
  });
}

/** Guesses of a Whisper, simulated: one in five short passages is taken for Dutch, and it is unsure of those. */
export function languageRows(): Measured[] {
  const random = seeded(23);
  const spoken = Array.from({ length: 60 }, (_, index) => {
    const seconds = 4 + random.below(21);
    const isDutch = seconds < 15 && random.chance(0.4);
    const language = index % 12 < 8 ? 'de' : 'en';
    return {
      index,
      seconds,
      language,
      guess: isDutch ? 'nl' : language,
      sure: isDutch ? 0.5 : 0.9,
    };
  });
  let at = 0;
  const heard = spoken.map(({ index, seconds, guess, sure }): HeardIn => {
    const start = at;
    at += seconds;
    return { index, start, end: at, language: guess, probability: sure };
  });
  const wrong = (languages: readonly string[]) =>
    spoken.reduce(
      (sum, { seconds, language }, index) => sum + (languages[index] === language ? 0 : seconds),
      0,
    ) / at;
  const guessed = wrong(spoken.map(({ guess }) => guess));
  return [[], ['de', 'en']].map((house) => {
    const languages = spoken.map(({ guess }) => guess);
    for (const { index, language } of decidedLanguage(heard, house)?.again ?? [])
      languages[index] = language;
    const ours = wrong(languages);
    return {
      what: `a talk in German and English, part in a wrong language, ${house.length > 0 ? 'both named in the settings' : 'none named'}, against each passage’s guess (simulated guesses)`,
      ours: percent(ours),
      bare: percent(guessed),
      ratio: ours / guessed,
      // Two languages of which neither prevails are left as they were guessed, where nobody names them.
      aim: house.length > 0 ? '≤ 0.5' : '',
    };
  });
}

/** What Whisper says of itself, as the review's stand-in answered: of silence, of a loop, and of speech. */
export function doubtRows(): Measured[] {
  const random = seeded(23);
  const said = Array.from({ length: 100 }, (_, at) => ({
    text: ` This is sentence number ${at}.`,
    no_speech_prob: random.next() * 0.5,
    avg_logprob: -0.1 - random.next() * 0.7,
    compression_ratio: 1 + random.next(),
    isSaid: true,
  }));
  const invented = [
    { text: ' you', no_speech_prob: 0.99, avg_logprob: -2.5, compression_ratio: 0.3 },
    { text: ' Thank you.', no_speech_prob: 0.97, avg_logprob: -1.9, compression_ratio: 0.6 },
    {
      text: ' Thanks for watching!',
      no_speech_prob: 0.4,
      avg_logprob: -0.4,
      compression_ratio: 0.8,
    },
    { text: ' no'.repeat(30), no_speech_prob: 0.1, avg_logprob: -0.2, compression_ratio: 9 },
  ].map((one) => ({ ...one, isSaid: false }));
  const all = [...said.slice(0, 50), ...invented, ...said.slice(50)];
  const segments = all.map((one, id) => ({ ...one, id, start: id, end: id + 1 }));
  const body = JSON.stringify({ text: '', language: 'english', segments });
  const answer = parseTranscript({ body, contentType: 'application/json' }, all.length, 'bench');
  const marked = withDoubts(answer.segments).filter(({ doubt }) => doubt !== undefined);
  const isInvented = ({ start }: { start: number }) => !all[Math.round(start)]!.isSaid;
  const right = marked.filter(isInvented).length;
  return [
    {
      what: 'segments that Whisper doubts: invented ones marked, against said ones marked (stand-in answers)',
      ours: `${right} of ${invented.length}`,
      bare: `${marked.length - right} of ${said.length}`,
      ratio: right / invented.length,
      aim: '≥ 1',
      met: right === invented.length && marked.length === right,
    },
  ];
}
