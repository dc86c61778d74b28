import type { IncomingMessage } from 'node:http';
import type { ToneWord } from './speech-servers-tones.ts';

export type Kind =
  | 'whisper.cpp'
  | 'speaches'
  | 'localai'
  | 'localai-old'
  | 'vllm'
  | 'openai'
  | 'groq'
  | 'ollama'
  /** whisper-asr-webservice with WhisperX. */
  | 'asr';

export type Received = {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  fields: Record<string, string[]>;
  query: URLSearchParams;
  /** The uploaded file's name, and its samples as 16 kHz mono; null when there was none. */
  filename: string | null;
  pcm: Int16Array | null;
  /** Of an uploaded file with two channels, whose mix `pcm` is. */
  channels: readonly [Int16Array, Int16Array] | null;
};

/** A word that a server heard, and who says it as the server calls them. */
export type SpokenWord = ToneWord & { speaker?: string };

/**
 * What was heard, with speakers as servers name them: anew in every request, in order of first speech, but for
 * those whose samples were sent along.
 */
export function spokenIn(
  { fields }: Received,
  heard: readonly ToneWord[],
  voiceOf: ((word: string) => string) | null,
  hear: (pcm: Int16Array) => ToneWord[],
): SpokenWord[] {
  if (!voiceOf) return [...heard];
  const names = new Map<string, string>();
  const samples = fields['known_speaker_references[]'] ?? [];
  for (const [i, sample] of samples.entries()) {
    const wav = Buffer.from(sample.replace(/^data:audio\/wav;base64,/, ''), 'base64');
    const said = hear(new Int16Array(new Uint8Array(wav.subarray(44)).buffer));
    const voices = new Set(said.map(({ text }) => voiceOf(text)));
    if (voices.size === 1) names.set([...voices][0]!, fields['known_speaker_names[]']![i]!);
  }
  let unknown = 0;
  return heard.map((word) => {
    const voice = voiceOf(word.text);
    const name = names.get(voice) ?? String.fromCodePoint(65 + unknown++);
    names.set(voice, name);
    return { ...word, speaker: name };
  });
}

const text = (words: readonly ToneWord[]) => words.map((word) => word.text).join(' ');

/** OpenAI's `diarized_json`: times of segments, none of words. */
export const diarizedJson = (groups: readonly SpokenWord[][], duration: number) => ({
  task: 'transcribe',
  duration,
  text: groups.map(text).join(' '),
  segments: groups.map((words, id) => ({
    id: `seg_${id}`,
    type: 'transcript.text.segment',
    speaker: words[0]!.speaker,
    start: words[0]!.start,
    end: words.at(-1)!.end,
    text: ` ${text(words)}`,
  })),
  usage: { type: 'duration', seconds: duration },
});

/** WhisperX's: one segment of two who speak in turns is the first's, its words tell; a figure has no times. */
export function whisperxJson(groups: readonly SpokenWord[][], diarize: boolean) {
  const pairs = groups.flatMap((words, i) => (i % 2 ? [] : [[...words, ...(groups[i + 1] ?? [])]]));
  const told = (word: SpokenWord) => (diarize ? { speaker: `SPEAKER_0${word.speaker}` } : {});
  return {
    segments: pairs.map((words) => ({
      start: words[0]!.start,
      end: words.at(-1)!.end,
      text: text(words),
      words: words.map((word, i) =>
        i === 1
          ? { word: word.text, ...told(word) }
          : { word: word.text, start: word.start, end: word.end, score: 0.9, ...told(word) },
      ),
      ...told(words[0]!),
    })),
    word_segments: [],
  };
}

/** whisper.cpp's `diarize`: which channel is louder by a tenth; `?` for neither. */
export function louderChannel(
  channels: readonly [Int16Array, Int16Array],
  { start, end }: { start: number; end: number },
): string {
  const [left, right] = channels.map((pcm) =>
    pcm
      .subarray(Math.round(start * 16_000), Math.round(end * 16_000))
      .reduce((sum, sample) => sum + Math.abs(sample), 0),
  );
  if (left! > 1.1 * right!) return '0';
  return right! > 1.1 * left! ? '1' : '?';
}
