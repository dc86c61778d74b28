/**
 * The reporter in the process of test files: what people read goes to standard output, and the result of each file, once
 * its tests are done, as a line of JSON to descriptor 3, which printed text cannot reach.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';
import { inspect, stripVTControlCharacters } from 'node:util';
import type { FileResult } from './run-together.ts';

/** The part of the events that is read here; Node's own types differ between its versions. */
type ReportedEvent = {
  type: string;
  data: {
    name?: string;
    nesting?: number;
    message?: string;
    skip?: unknown;
    todo?: unknown;
    details?: { type?: string; error?: unknown; duration_ms?: number };
  };
};

const resultDescriptor = 3;
/** Characters of an error that the list of failures shows; the whole stands with its file. */
const whyMax = 600;
/** The counts at the end of a file: the runner prints those of all files. */
const count = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** Files of which each is a suite of this process (`in-order.ts`); of one alone, none. */
const together = new Set(process.argv.slice(2));

export default async function* report(source: AsyncIterable<ReportedEvent>) {
  process.once('SIGUSR2', sayWhatIsOpen);
  yield* Readable.from(counted(source)).compose(new spec());
}

/**
 * What this process and those it waited for took of the processor, which no load of the machine changes: fields 14 to 17
 * of proc_pid_stat(5), in hundredths.
 */
function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** What keeps a process from its end that is done with its tests: programs, connections, timers. */
function sayWhatIsOpen(): void {
  const { _getActiveHandles } = process as unknown as { _getActiveHandles(): object[] };
  const handles = _getActiveHandles.call(process).map((handle) => {
    const { spawnargs, pid, remotePort, localPort, fd } = handle as Record<string, unknown>;
    return `${handle.constructor.name} ${inspect({ spawnargs, pid, remotePort, localPort, fd }, { breakLength: Infinity })}`;
  });
  console.log(`Still open: ${process.getActiveResourcesInfo().join(', ')}\n${handles.join('\n')}`);
}

async function* counted(source: AsyncIterable<ReportedEvent>) {
  const started = performance.now();
  let result = freshResult();
  let usedBefore = 0;
  const tell = (path: string | null, seconds: number) => {
    const used = processorSeconds();
    const said: FileResult = { ...result, seconds, processorSeconds: used - usedBefore };
    writeSync(resultDescriptor, `${JSON.stringify({ path, result: said })}\n`);
    usedBefore = used;
    result = freshResult();
  };
  for await (const event of source) {
    const { type, data } = event;
    const { name = '', message = '', details } = data;
    const isEnd = type === 'test:pass' || type === 'test:fail';
    const isFile = data.nesting === 0 && together.has(name);
    if (type === 'test:fail') {
      const why = whyOf(details?.error);
      if (!isFile) result.failed.push({ name, why });
      else if (why !== '') result.failed.push({ name: 'The file', why });
    }
    if (type === 'test:pass' && details?.type !== 'suite') {
      if (given(data.skip) || given(data.todo)) result.hidden.push(name);
      else result.passed += 1;
    }
    if (isEnd && isFile) tell(name, (details?.duration_ms ?? 0) / 1000);
    if (type !== 'test:diagnostic' || !count.test(message)) yield event;
  }
  if (together.size === 0) tell(null, (performance.now() - started) / 1000);
}

const freshResult = (): Pick<FileResult, 'passed' | 'failed' | 'hidden'> => ({
  passed: 0,
  failed: [],
  hidden: [],
});

/** The beginning of what was thrown: Node wraps it, and a parent only counts its children. */
function whyOf(thrown: unknown): string {
  const { cause, failureType } = (thrown ?? {}) as { cause?: unknown; failureType?: string };
  if (failureType === 'subtestsFailed') return '';
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause ?? thrown);
  return stripVTControlCharacters(text).slice(0, whyMax);
}

/** A skip or todo may be true or a reason, also an empty one. */
const given = (mark: unknown): boolean => mark !== undefined && mark !== false;
