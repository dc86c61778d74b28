/** What a recording was at a place of its log, from its facts and the statechart alone. */
import type { Schema } from '../../client/api.ts';

export type Fact = Schema<'Fact'>;
export type ChartLayout = Schema<'Chart'>['layout'];
/** A state of `GET /machine`; the document leaves open what is below one. */
export type ChartState = Omit<Schema<'Chart'>, 'id' | 'version' | 'layout' | 'states'> & {
  states: Record<string, ChartState>;
};
export type Chart = ChartState & Pick<Schema<'Chart'>, 'id' | 'version' | 'layout'>;

/** A stage that is under way: it runs since it was started, or waits since its state was entered. */
export type Running = { stage: string; attempt: number | null; since: string; runs: boolean };

export type Moment = {
  /** How many of the facts are counted. */
  count: number;
  fact: Fact | null;
  /** The state's name as the log writes it; null before the first move. */
  state: string | null;
  /** When it was entered. */
  since: string | null;
  /** Paths of all states that are active, and of those that were before. */
  active: ReadonlySet<string>;
  been: ReadonlySet<string>;
  /** Numbers of the layout's edges that were taken, with the type of the fact that took each last; and the last edge. */
  taken: ReadonlyMap<number, string>;
  last: number | null;
  running: readonly Running[];
  /** Version of the documents that was in use; 0: none. */
  version: number;
};

/** @param count how many of the facts, from the first */
export function momentAt(chart: Chart, facts: readonly Fact[], count: number): Moment {
  const been = new Set<string>();
  const taken = new Map<number, string>();
  const started = new Map<string, Fact>();
  let [state, since, last, version] = [null, null, null, 0] as [
    string | null,
    string | null,
    number | null,
    number,
  ];
  for (const fact of facts.slice(0, count)) {
    const stage = fact.data['stage'];
    if (fact.type === 'stage.started' && typeof stage === 'string') started.set(stage, fact);
    if (/^stage\.(?:interrupted|failed)$/.test(fact.type)) started.delete(String(stage));
    if (fact.type === 'documents.saved') version = Number(fact.data['version'] ?? version + 1);
    if (hasNone(fact)) version = 0;
    if (fact.to === undefined || fact.to === state) continue;
    const way = edgeOf(chart.layout, fact);
    if (way !== null) taken.set(way, fact.type);
    last = way;
    for (const path of state === null ? [] : activePaths(state)) been.add(path);
    [state, since] = [fact.to, fact.at];
  }
  const active = new Set(state === null ? [] : activePaths(state));
  const attempts = attemptsOf(facts.slice(0, count));
  const running = statesOf(chart)
    .filter(({ path, invokes }) => invokes !== null && active.has(path))
    .map(({ invokes }) => {
      const last = started.get(invokes!);
      return runningOf(invokes!, { fact: last, attempt: last && attempts.get(last) }, since);
    });
  const fact = facts[count - 1] ?? null;
  return { count, fact, state, since, active, been, taken, last, running, version };
}

/** Whether a fact leaves the recording without documents: they were deleted, or are of other audio. */
const hasNone = ({ type, to }: Fact): boolean =>
  type === 'audio.assembled' || to === 'idle.kept' || to === 'idle.erased';

/** What begins all stages anew (`contextAfter` of `machines/context.ts`). */
const startsOver = /^(?:reprocessing\.requested|audio\.(?:extended|assembled))$/;

/** What has the documents written for a reason of its own. */
const startsWriting = ({ type, from, to }: Fact): boolean =>
  to === 'transcribing.writing' && from !== to && type !== 'retry.requested';

/**
 * Of each fact that starts a stage, which attempt at that stage it is since processing was asked for: the log's own
 * number counts on over all stages.
 */
export function attemptsOf(facts: readonly Fact[]): ReadonlyMap<Fact, number> {
  const made = new Map<unknown, number>();
  const attempts = new Map<Fact, number>();
  for (const fact of facts) {
    if (startsOver.test(fact.type)) made.clear();
    if (startsWriting(fact)) made.delete('write');
    if (fact.type !== 'stage.started') continue;
    const attempt = (made.get(fact.data['stage']) ?? 0) + 1;
    made.set(fact.data['stage'], attempt);
    attempts.set(fact, attempt);
  }
  return attempts;
}

type Started = { fact: Fact | undefined; attempt: number | undefined };

function runningOf(stage: string, { fact, attempt }: Started, since: string | null): Running {
  // What was started before its state was entered is of an earlier time there.
  const runs = fact !== undefined && fact.at >= (since ?? '');
  return {
    stage,
    attempt: runs ? (attempt ?? null) : null,
    since: runs ? fact.at : (since ?? ''),
    runs,
  };
}

/** `a.b(c.d,e.f)` → `a`, `a.b`, `a.b.c`, `a.b.c.d`, `a.b.e`, `a.b.e.f`: how `machines/states.ts` writes a state. */
export function activePaths(name: string): string[] {
  const paths: string[] = [];
  let prefix = '';
  const around: string[] = [];
  for (const [token] of name.matchAll(/[^.,()]+|[.,()]/g)) {
    if (token === '(') around.push(prefix);
    else if (token === ')') prefix = around.pop() ?? '';
    else if (token === ',') prefix = around.at(-1) ?? '';
    else if (token !== '.') {
      prefix = prefix === '' ? token : `${prefix}.${token}`;
      paths.push(prefix);
    }
  }
  return paths;
}

/** The edge a fact moved along: of those for its type, the one between what it left and what it entered. */
export function edgeOf({ edges }: ChartLayout, { type, from, to }: Fact): number | null {
  if (from === undefined || to === undefined) return null;
  const left = new Set(activePaths(from));
  const entered = new Set(activePaths(to));
  const fits = edges
    .map((edge, at) => ({ ...edge, at }))
    .filter(({ source, target }) => left.has(source) && entered.has(target));
  const named = fits.filter(({ events }) => events.includes(type));
  return (named.at(-1) ?? fits.filter(({ events }) => events.length === 0).at(-1))?.at ?? null;
}

/** What the statechart allows in a moment: types of facts, each with its conditions in words; none where one way has none. */
export function possibleAt(
  chart: Chart,
  { active }: Moment,
): { event: string; conditions: string[] }[] {
  const found = new Map<string, Set<string>>();
  const unconditional = new Set<string>();
  for (const { path, transitions } of statesOf(chart)) {
    if (!active.has(path)) continue;
    for (const { event, condition } of transitions) {
      if (event === null) continue;
      const conditions = found.get(event) ?? new Set<string>();
      if (condition === null) unconditional.add(event);
      else conditions.add(condition);
      found.set(event, conditions);
    }
  }
  return [...found]
    .map(([event, conditions]) => ({
      event,
      conditions: unconditional.has(event) ? [] : [...conditions],
    }))
    .toSorted((a, b) => a.event.localeCompare(b.event));
}

/** All states below the machine, each before what is below it. */
export const statesOf = (state: ChartState): ChartState[] =>
  Object.values(state.states).flatMap((child) => [child, ...statesOf(child)]);
