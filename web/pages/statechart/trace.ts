/** A trace: the statechart and a recording's facts without what anybody said, for a report of a fault. */
import type { Chart, Fact } from './moments.ts';

export type Trace = { format: 'mitschrift-trace'; version: 1; machine: Chart; facts: Fact[] };

/** The largest trace that is opened. */
const most = { bytes: 50_000_000, facts: 100_000 };

/** Texts that name parts of Mitschrift; every other text may be somebody's. */
const openKeys = new Set(['stage', 'kind', 'reason', 'code', 'from', 'format', 'backend', 'role']);
const hidden = '••••';

/** As JSON. Numbers and what names a part of Mitschrift stay; words, names, paths, ids and contents do not. */
export function writeTrace(machine: Chart, facts: readonly Fact[]): string {
  const trace: Trace = {
    format: 'mitschrift-trace',
    version: 1,
    machine,
    facts: facts.map(blackened),
  };
  return JSON.stringify(trace, null, 1);
}

/** @throws {Error} when it is none, or too large. */
export function readTrace(text: string): Trace {
  if (text.length > most.bytes) throw new Error('too large');
  const trace: Partial<Trace> = JSON.parse(text);
  const { format, version, machine, facts } = trace;
  const isTrace =
    format === 'mitschrift-trace' &&
    version === 1 &&
    typeof machine?.layout === 'object' &&
    Array.isArray(facts) &&
    facts.length <= most.facts &&
    facts.every(
      (fact) =>
        typeof fact?.type === 'string' && typeof fact.at === 'string' && isObject(fact.data),
    );
  if (!isTrace) throw new Error('not a trace');
  return trace as Trace;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function blackened(fact: Fact): Fact {
  const { position, version, type, at, by, run, attempt, from, to, data } = fact;
  return {
    position,
    stream: hidden,
    version,
    type,
    at,
    by: by === 'service' ? by : hidden,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, black(value, key)])),
  };
}

function black(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    return openKeys.has(key) && /^[a-z][a-z0-9-]{0,39}$/.test(value) ? value : hidden;
  }
  if (Array.isArray(value)) return value.map((each) => black(each, key));
  // Keys may be labels or names as well.
  if (isObject(value)) {
    return Object.values(value).map((each) => black(each, ''));
  }
  return value;
}
