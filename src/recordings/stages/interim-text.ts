import type { Stretch } from '../../../events/facts/transcript.ts';
import type { Log } from '../../shared/log.ts';
import type { AudioFollower } from '../../speech/live/follower.ts';
import type { StreamingRecogniser } from '../../speech/local/streaming.ts';
import type { PartialUtterance } from './stage-progress.ts';

/** Shows words as they are said; the engine makes the final ones. */
export interface InterimText {
  /** More has come. Does not wait, and never throws: the final words do not depend on it. */
  look(): void;
  /** What was said up to then is final, or was recognised as nothing. */
  final(upTo: number): void;
  close(): Promise<void>;
}

type InterimDeps = {
  follower: Pick<AudioFollower, 'speaking' | 'read'>;
  /** Null: no model for it; undefined: the language is not known yet. */
  open(): Promise<StreamingRecogniser | null | undefined>;
  show(text: Pick<PartialUtterance, 'start' | 'end' | 'text'>): void;
  log: Log;
};

/** Asked with no less than that, seconds. */
const heardSecondsMin = 0.2;
/** What was said longer ago is shown when it is final, seconds: an engine may be hours behind. */
const shownSecondsMax = 60;

type Said = { start: number; upTo: number; text: string };

export function interimText({ follower, open, show, log }: InterimDeps): InterimText {
  const stop = new AbortController();
  const { signal } = stop;
  let recogniser: StreamingRecogniser | null | undefined;
  let number = 0;
  /** Not final yet, the last one perhaps still being said. */
  let said: Said[] = [];
  let hearing: Promise<void> | null = null;

  const showAll = () => {
    const texts = said.filter(({ text }) => text !== '');
    const [first, last] = [texts[0], texts.at(-1)];
    if (!first || !last) return;
    show({ start: first.start, end: last.upTo, text: texts.map(({ text }) => text).join(' ') });
  };
  const hear = async ([start, end]: Stretch) => {
    recogniser ??= await open();
    if (!recogniser) return;
    let present = said.at(-1);
    if (present?.start !== start) {
      number += 1;
      present = { start, upTo: start, text: '' };
      said = [...said.filter(({ upTo }) => upTo > start - shownSecondsMax), present];
    }
    const samples = await follower.read(present.upTo, end);
    present.upTo = end;
    const text = (await recogniser.hear(number, samples, signal)).trim();
    if (text === present.text) return;
    present.text = text;
    if (said.includes(present)) showAll();
  };
  return {
    look() {
      const spoken = follower.speaking();
      if (hearing || signal.aborted || !spoken || recogniser === null) return;
      const before = said.at(-1);
      if (before?.start === spoken[0] && spoken[1] - before.upTo < heardSecondsMin) return;
      hearing = hear(spoken)
        .catch((error: unknown) => {
          if (signal.aborted) return;
          log.warn({ err: error }, 'words are not shown while they are said');
          stop.abort();
        })
        .finally(() => (hearing = null));
    },
    final(upTo) {
      said = said.filter(({ start }) => start >= upTo);
      showAll();
    },
    async close() {
      stop.abort();
      await hearing;
      await recogniser?.close();
    },
  };
}
