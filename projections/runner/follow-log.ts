import type { FactOutline, LoggedFact } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { mutex } from '../../src/shared/mutex.ts';
import { retry } from '../../src/shared/retry.ts';
import type { Member } from './member.ts';
import { isTransient, whileAway } from './projection.ts';

/** The log being followed by all projections. */
export interface Follower {
  /** Up to where those ahead have applied. */
  position(): number;
  /** All have seen the head of the log as it was at the start, or have stopped. @throws as `ended` does. */
  caughtUp: Promise<void>;
  /** Following is over. @throws what the log threw, when that was not transient; the signal's reason. */
  ended: Promise<void>;
}

/** Projections that are fed by one read of the log. Some may be ahead of `position`: they pass facts over. */
type Lane = { position: number; members: Member[] };

/** Projections no further apart than this share a read: passing facts over is cheaper than a second one. */
const laneGapMax = 5000;
/** One lane waits for another to close up over at most this many facts. */
const joinGapMax = 500;

/**
 * Brings projections up to the head of the log in pages, then keeps them there. Those at about the
 * same position share one read. One that is far behind (because it is rebuilt) catches up beside the
 * others and joins them, so that it does not delay them.
 */
export function followLog(deps: {
  store: EventStore;
  members: readonly Member[];
  signal: AbortSignal;
  /** Positions have moved. */
  onProgress: () => void;
  /** Those ahead have applied these facts. */
  onApplied: (facts: readonly FactOutline[]) => void;
}): Follower {
  const lanes = lanesOf(deps.members);
  const lead = lanes.pop() ?? { position: 0, members: [] };
  const following: Following = { ...deps, lead, onLead: mutex() };
  const leadCaughtUp = catchUp(following, lead).then(() => goLive(following, lead));
  const joined = lanes.map(async (lane) => {
    await catchUp(following, lane);
    await leadCaughtUp;
    await join(following, lane);
  });
  const follow = async (): Promise<void> => {
    for (;;) await reading(following, lead, () => followOnce(following));
  };
  return {
    position: () => lead.position,
    caughtUp: Promise.all([leadCaughtUp, ...joined]).then(() => undefined),
    ended: Promise.all([leadCaughtUp.then(follow), ...joined]).then(() => undefined),
  };
}

type Following = {
  store: EventStore;
  signal: AbortSignal;
  onProgress: () => void;
  onApplied: (facts: readonly FactOutline[]) => void;
  lead: Lane;
  /** Work on the lead, one piece at a time: a batch of facts, or a lane that joins. */
  onLead: ReturnType<typeof mutex>;
};

async function catchUp(following: Following, lane: Lane): Promise<void> {
  while (!(await reading(following, lane, () => readToEnd(following, lane))));
}

/**
 * Applies what is in the log; the next page is read and decoded while one is being stored. Answers
 * false when the log went away after something had come: then there is no need to pause.
 */
async function readToEnd(following: Following, lane: Lane): Promise<boolean> {
  const pages = factPages(following.store, lane.position);
  let progress = false;
  try {
    for (let next = pages.next(); ;) {
      const page = await next;
      following.signal.throwIfAborted();
      if (page.done === true) return true;
      next = pages.next();
      // Its failure is thrown when it is asked for.
      next.catch(() => {});
      await advance(following, lane, page.value);
      progress = true;
    }
  } catch (error) {
    if (!progress || !isTransient(error)) throw error;
    return false;
  } finally {
    // Not waited for: what is still being read may wait for the log to come back.
    pages.return().catch(() => {});
  }
}

async function join(following: Following, lane: Lane): Promise<void> {
  const { lead } = following;
  while (lead.position - lane.position > joinGapMax) await catchUp(following, lane);
  await following.onLead(async () => {
    // It may end ahead of the lead: its members pass over what they have.
    await catchUp(following, lane);
    lead.members.push(...lane.members);
  });
  goLive(following, lane);
}

/** Follows until the log goes away. Throws only if it went before anything came: then it is time to pause. */
async function followOnce(following: Following): Promise<void> {
  const { store, signal, lead } = following;
  let progress = false;
  try {
    for await (const page of store.follow({ afterPosition: lead.position, signal })) {
      signal.throwIfAborted();
      const facts = await store.opened(page);
      await following.onLead(() => advance(following, lead, facts));
      progress = true;
    }
    signal.throwIfAborted();
    throw new EventStoreError('BUSY', 'The event log is no longer followed.');
  } catch (error) {
    if (!progress || !isTransient(error)) throw error;
  }
}

async function advance(
  following: Following,
  lane: Lane,
  facts: readonly LoggedFact[],
): Promise<void> {
  assertDense(lane.position, facts);
  await Promise.all(lane.members.map((member) => member.apply(facts)));
  lane.position = facts.at(-1)!.position;
  if (lane === following.lead) following.onApplied(facts);
  following.onProgress();
}

function reading<T>({ signal }: Following, lane: Lane, read: () => Promise<T>): Promise<T> {
  const notice = (error: unknown): void =>
    lane.members.forEach((member) => member.noticeLogAway(error));
  return retry(read, whileAway(signal, notice));
}

function goLive({ onProgress }: Following, lane: Lane): void {
  for (const member of lane.members) member.goLive();
  onProgress();
}

/** By position, the furthest ahead last. */
function lanesOf(members: readonly Member[]): Lane[] {
  const lanes: Lane[] = [];
  for (const member of members.toSorted((a, b) => a.position() - b.position())) {
    if (member.stopped()) continue;
    const lane = lanes.at(-1);
    const ahead = lane?.members.at(-1);
    if (lane && ahead && member.position() - ahead.position() <= laneGapMax)
      lane.members.push(member);
    else lanes.push({ position: member.position(), members: [member] });
  }
  return lanes;
}

/** A position that is left out would be lost to every projection: worth a look at each page. */
function assertDense(after: number, facts: readonly LoggedFact[]): void {
  const first = facts[0]?.position;
  const last = facts.at(-1)?.position;
  if (first === after + 1 && last === after + facts.length) return;
  throw new EventStoreError(
    'DAMAGED',
    `The log gave positions ${first} to ${last} (${facts.length} facts) after position ${after}.`,
  );
}

/** At most this many facts are folded in one batch. */
export const foldedFactsMax = 2000;
/** At most this much content: a fact weighs 1, one with text more, by how much text its type may hold. */
const pageWeightMax = 4000;

/**
 * The facts after a position up to the end of the log, many at a time: in catching up, what a page
 * costs besides its facts (rows looked up, a commit) counts.
 */
export async function* factPages(
  store: EventStore,
  afterPosition: number,
): AsyncGenerator<LoggedFact[], void, void> {
  let held: LoggedFact[] = [];
  let weight = 0;
  try {
    for await (const page of store.pages({ afterPosition })) {
      if (held.length > 0 && held.length + page.length > foldedFactsMax) {
        yield held;
        held = [];
        weight = 0;
      }
      held = held.length === 0 ? page : held.concat(page);
      for (const fact of page) weight += weightOf(fact);
      if (weight < pageWeightMax && held.length < foldedFactsMax) continue;
      yield held;
      held = [];
      weight = 0;
    }
  } catch (error) {
    // What lies before damage counts.
    if (held.length > 0) yield held;
    throw error;
  }
  if (held.length > 0) yield held;
}

/** Whole transcripts weigh as much as a page of plain facts may have beside them. */
const heavy: ReadonlySet<string> = new Set(['turns.joined', 'transcript.punctuated']);

const weightOf = (fact: LoggedFact): number => {
  if (fact.content === undefined) return 1;
  return heavy.has(fact.type) ? 400 : 20;
};
