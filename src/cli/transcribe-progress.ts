import cliProgress from 'cli-progress';
import { basename } from 'node:path';
import { type Stage, stageTable, stages } from '../../events/facts/recording.ts';
import type { Waiting } from '../recordings/stages/stage-progress.ts';
import { inEnglish } from '../words/say.ts';
import type { FoundFile } from './audio-files.ts';

/** What is said of a batch of files while it is worked on, on standard error. */
export interface TranscribeProgress {
  /** A file begins. */
  begin(file: FoundFile): void;
  /** What is being done with it. */
  show(activity: Shown): void;
  /** It is done, left out, or failed. @param worked whether it took the time that its size makes one expect */
  end(outcome: string, worked: boolean): void;
  stop(): void;
}

type Shown = { stage: Stage; fraction: number | null; waiting: Pick<Waiting, 'for'> | null };

const reading = 'reading the file';

/** Nothing is said of the time left before so much is known, in milliseconds and as a part of all. */
const estimateAfterMs = 3000;
const estimateAfterFraction = 0.01;

/** @param isQuiet nothing is said */
export function transcribeProgress(
  files: readonly FoundFile[],
  isQuiet: boolean,
): TranscribeProgress {
  if (isQuiet) return { begin() {}, show() {}, end() {}, stop() {} };
  const counter = openCounter(files, () => performance.now());
  return process.stderr.isTTY ? bars(counter) : lines(counter);
}

type Counter = ReturnType<typeof openCounter>;

/** Which file it is, how far, and how long all of them take. @param clock milliseconds that only grow */
export function openCounter(files: readonly FoundFile[], clock: () => number) {
  const bytesOfAll = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const startedAt = clock();
  let index = 0;
  let bytesBefore = 0;
  let bytesLeftOut = 0;
  let fraction = 0;
  let file = files[0];
  return {
    begin(next: FoundFile) {
      file = next;
      index += 1;
      fraction = 0;
    },
    show({ stage, fraction: ofStage }: Shown) {
      fraction = Math.max(fraction, shareBefore(stage) + stageTable[stage].share * (ofStage ?? 0));
    },
    end(worked: boolean) {
      if (worked) bytesBefore += file?.bytes ?? 0;
      else bytesLeftOut += file?.bytes ?? 0;
      fraction = 0;
    },
    fraction: () => fraction,
    label: () => `file ${index} of ${files.length}: ${basename(file?.path ?? '')}`,
    /** `about 4 min left` for all files; null while nothing can be said. */
    timeLeft(): string | null {
      const done = bytesBefore + fraction * (file?.bytes ?? 0);
      const all = bytesOfAll - bytesLeftOut;
      const elapsed = clock() - startedAt;
      if (elapsed < estimateAfterMs || done < estimateAfterFraction * all || done >= all)
        return null;
      return `about ${durationText((elapsed / done) * (all - done))} left`;
    },
  };
}

/** A bar on a terminal, gone when its file is done. */
function bars(counter: Counter): TranscribeProgress {
  let bar: cliProgress.SingleBar | null = null;
  const payload = (name: string) => {
    const left = counter.timeLeft();
    return { label: counter.label(), stage: left === null ? name : `${name}, ${left}` };
  };
  const stop = () => {
    bar?.stop();
    bar = null;
  };
  return {
    begin(file) {
      counter.begin(file);
      bar = new cliProgress.SingleBar({
        format: '{label} {bar} {percentage}% {stage}',
        stream: process.stderr,
        hideCursor: true,
        clearOnComplete: true,
      });
      bar.start(100, 0, payload(reading));
    },
    show(activity) {
      counter.show(activity);
      bar?.update(Math.round(counter.fraction() * 100), payload(nameOf(activity)));
    },
    end(outcome, worked) {
      stop();
      console.error(`${counter.label()}: ${outcome}`);
      counter.end(worked);
    },
    stop,
  };
}

/** A line for each stage, where there is no terminal. */
function lines(counter: Counter): TranscribeProgress {
  let said = new Set<string>();
  const say = (what: string) => {
    if (said.has(what)) return;
    said.add(what);
    console.error(`${counter.label()}: ${what}`);
  };
  return {
    begin(file) {
      said = new Set();
      counter.begin(file);
      say(reading);
    },
    show(activity) {
      counter.show(activity);
      say(nameOf(activity));
    },
    end(outcome, worked) {
      const label = counter.label();
      counter.end(worked);
      const left = counter.timeLeft();
      console.error(`${label}: ${outcome}${left === null ? '' : `, ${left}`}`);
    },
    stop() {},
  };
}

const nameOf = ({ stage, waiting }: Shown): string => {
  const { words } = stageTable[stage];
  return waiting === null ? words : `${words}, waiting for ${inEnglish(waiting.for)}`;
};

const shareBefore = (stage: Stage): number =>
  stages
    .slice(0, stages.indexOf(stage))
    .reduce((sum, earlier) => sum + stageTable[earlier].share, 0);

/** `40 s`, `4 min`, `2 h 10 min`. */
function durationText(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
