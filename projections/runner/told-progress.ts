import type { Progress, ProjectionState } from './member.ts';
import { type Projection, type StopReason, outageReason } from './projection.ts';

/** What the projector says of its rows. */
export type Told = {
  /** Grows with each time as the projector: what is said of an earlier one does not count any more. */
  tenure: number;
  /** Counts what was said in it: it may come late to one that knew it before. */
  count: number;
  /** Those ahead have applied everything up to here. */
  position: number;
  states: readonly ProjectionState[];
};

/** How far rows are by what was told last. */
export type ToldProgress = {
  members: readonly Progress[];
  /** Takes a report, unless a later one is known. */
  take(told: Told): void;
  /** Accepts the next report, whatever its tenure: another database may number tenures from the beginning. */
  beginAgain(): void;
  /** The head of the log when this process started: what has come so far is live. */
  startsAt(head: number): void;
  /** Up to where those ahead have applied; null until it was told. */
  position(): number | null;
  /** Nothing is waited for any more. @param error why, unless the service stops */
  stop(error?: unknown): void;
};

const closing: StopReason = { code: 'CLOSED', message: 'The server is shutting down' };

export function progressAsTold(
  projections: readonly Projection[],
  onStopped: (state: ProjectionState) => void = () => {},
): ToldProgress {
  const members = projections.map(({ name, version }) =>
    memberAsTold({ name, version }, onStopped),
  );
  let last: Told | null = null;
  let isOrdered = true;
  let head = Infinity;
  const takeLast = (): void => {
    for (const member of members) {
      const state = last?.states.find(({ name }) => name === member.name);
      if (state) member.take(state, head);
    }
  };
  return {
    members,
    take(told) {
      if (last && isOrdered && !isLater(told, last)) return;
      isOrdered = true;
      last = told;
      takeLast();
    },
    beginAgain() {
      isOrdered = false;
    },
    startsAt(position) {
      head = position;
      takeLast();
    },
    position: () => last?.position ?? null,
    stop(error) {
      const reason =
        error === undefined ? closing : outageReason(error, 'The log cannot be read any further');
      for (const member of members) member.stop(reason);
    },
  };
}

const isLater = (told: Told, last: Told): boolean =>
  told.tenure === last.tenure ? told.count > last.count : told.tenure > last.tenure;

/** If that was up to here. One that cannot go on just now says so whatever it was before. */
const hasSeenAll: ReadonlySet<ProjectionState['state']> = new Set(['live', 'retrying']);

function memberAsTold(
  { name, version }: Pick<Projection, 'name' | 'version'>,
  onStopped: (state: ProjectionState) => void,
): Progress & { take(state: ProjectionState, head: number): void; stop(reason: StopReason): void } {
  let present: ProjectionState = { name, version, position: 0, state: 'catching-up', reason: null };
  /** Rows that were whole once stay so when another node takes over: only `applied` has to wait. */
  let isLive = false;
  let isOver = false;
  return {
    name,
    state: () =>
      isLive && present.state === 'catching-up' ? { ...present, state: 'live' } : present,
    position: () => present.position,
    stopped: () => present.state === 'stopped',
    live: () => isLive && present.state !== 'stopped',
    take(state, head) {
      if (isOver) return;
      const before = present.state;
      present = state;
      if (state.state === 'rebuilding') isLive = false;
      else if (hasSeenAll.has(state.state) && state.position >= head) isLive = true;
      if (state.state === 'stopped' && before !== 'stopped') onStopped(state);
    },
    stop(reason) {
      isOver = true;
      present = { ...present, state: 'stopped', reason };
    },
  };
}
