/**
 * The reporter in the process of each test file: what people read goes to standard output, and the
 * result, once all tests are done, as JSON to descriptor 3, which printed text cannot reach.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';
import { inspect, stripVTControlCharacters } from 'node:util';
import type { FileResult } from './run-file.ts';

/** The part of the events that is read here; Node's own types differ between its versions. */
type ReportedEvent = {
  type: string;
  data: {
    name?: string;
    message?: string;
    skip?: unknown;
    todo?: unknown;
    details?: { type?: string; error?: unknown };
  };
};

const resultDescriptor = 3;
/** Characters of an error that the list of failures shows; the whole stands with its file. */
const whyMax = 600;
/** The counts at the end of a file: the runner prints those of all files. */
const count = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

export default async function* report(source: AsyncIterable<ReportedEvent>) {
  process.once('SIGUSR2', sayWhatIsOpen);
  const result: FileResult = { passed: 0, failed: [], hidden: [], processorSeconds: 0 };
  yield* Readable.from(counted(source, result)).compose(new spec());
  result.processorSeconds = processorSeconds();
  writeSync(resultDescriptor, JSON.stringify(result));
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

async function* counted(source: AsyncIterable<ReportedEvent>, result: FileResult) {
  for await (const event of source) {
    const { type, data } = event;
    const isTest = data.details?.type !== 'suite';
    if (type === 'test:fail') {
      result.failed.push({ name: data.name ?? '', why: whyOf(data.details?.error) });
    }
    if (type === 'test:pass' && isTest) {
      if (given(data.skip) || given(data.todo)) result.hidden.push(data.name ?? '');
      else result.passed += 1;
    }
    if (type === 'test:diagnostic' && count.test(data.message ?? '')) continue;
    yield event;
  }
}

/** The beginning of what was thrown: Node wraps it, and a parent only counts its children. */
function whyOf(thrown: unknown): string {
  const { cause, failureType } = (thrown ?? {}) as { cause?: unknown; failureType?: string };
  if (failureType === 'subtestsFailed') return '';
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause ?? thrown);
  return stripVTControlCharacters(text).slice(0, whyMax);
}

/** A skip or todo may be true or a reason, also an empty one. */
const given = (mark: unknown): boolean => mark !== undefined && mark !== false;
