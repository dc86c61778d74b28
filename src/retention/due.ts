import {
  entriesInAll,
  entriesInAny,
  entriesOf,
  type ReadEntries,
} from '../../projections/list-page.ts';
import {
  type Due,
  type RetentionLayer,
  type RetentionRules,
  dueOf,
  dueUnheld,
  shortestMs,
} from '../../projections/retention.ts';
import { isHeld } from '../../events/facts/holds.ts';
import { countedEntries, entriesOfOrder } from '../../projections/library.ts';
import { type KeptLine, linesOf, recordingsName } from '../../projections/recording-row.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { OrderBook } from '../order/order-book.ts';
import type { Settings } from '../config/schema.ts';
import type { Kept } from '../storage/kept.ts';

/** A part of a recording that is to go. */
export type DuePart = Due & {
  recordingId: string;
  startedAt: string;
  kind: KeptLine['core']['kind'];
  duration: number | null;
  /** The folder that it is in. */
  in: string | null;
  /** It is shared by itself, or has a link. */
  hasReaders: boolean;
  /** It is protected then, and stays. */
  isHeld: boolean;
};

export type DueDeps = {
  storage: ProjectionStorage;
  order: Pick<OrderBook, 'of'>;
  settings(): Pick<Settings, 'retention.audio_days' | 'retention.notes_days' | 'retention.longest'>;
  kept: Kept;
  now(): number;
};

/** What the server's settings said, and since when. Settings of the environment have no time of their own. */
const seen = {
  name: 'retention-seen',
  keys: 'plain',
} as const;
type Seen = { terms: string; since: number };

/** What holds for the recordings of a user now. */
export async function rulesOf(deps: DueDeps, owner: string): Promise<RetentionRules> {
  const server = await ofServer(deps);
  const { retention, folders } = await deps.order.of(owner);
  const at = (time: string | null): number => (time === null ? 0 : Date.parse(time));
  const own = [...folders.values()].flatMap(({ id, retention: terms, retentionAt }) =>
    retentionAt === null ? [] : [[id, { terms: terms ?? {}, changedAt: at(retentionAt) }] as const],
  );
  return {
    server,
    user: { terms: retention.terms, changedAt: at(retention.at) },
    folders: new Map(own),
  };
}

async function ofServer({ settings, kept, now }: DueDeps): Promise<RetentionRules['server']> {
  const {
    'retention.audio_days': audio_days,
    'retention.notes_days': notes_days,
    'retention.longest': longest,
  } = settings();
  const terms = { audio_days, notes_days };
  const text = JSON.stringify({ ...terms, longest });
  const rows = kept.of<Seen>(seen);
  const before = await rows.get('server');
  const isUnset = audio_days === null && notes_days === null;
  if (before?.terms === text || (!before && isUnset))
    return { terms, longest, changedAt: before?.since ?? 0 };
  const since = await rows.change(['server'], ([there]) => {
    if (there?.terms === text) return { result: there.since };
    const row = { terms: text, since: now() };
    return { keep: [row], result: row.since };
  });
  return { terms, longest, changedAt: since };
}

/** Whether a user has so many recordings. */
export const libraryAtLeast = async (
  { storage }: Pick<DueDeps, 'storage'>,
  owner: string,
  count: number,
): Promise<boolean> =>
  count === 0 || (await countedEntries(entriesOfOwner(storage, owner), count)) >= count;

const entriesOfOwner = (storage: ProjectionStorage, owner: string): ReadEntries =>
  entriesOf(storage, recordingsName, `o/${owner}/`);

/** Recordings that are looked at together. */
const lookedAtOnce = 200;

/** What is due until a moment, the longest due first. @param held also what is protected, as if it were not */
export async function dueUntil(
  deps: DueDeps,
  owner: string,
  { until, held }: { until: number; held: boolean },
): Promise<DuePart[]> {
  const rules = await rulesOf(deps, owner);
  const found: DuePart[] = [];
  const seen = new Set<string>();
  for (const { read, shortest } of listsOf(deps, owner, rules)) {
    const lt = new Date(until - shortest + 1).toISOString();
    for (let gte = ''; ;) {
      const entries = await read({ gte, lt, reverse: false, limit: lookedAtOnce });
      for (const { core } of await linesOf(deps.storage, entries)) {
        if (seen.has(core.recordingId)) continue;
        seen.add(core.recordingId);
        const parts = held ? dueUnheld(core, rules) : dueOf(core, rules);
        found.push(...parts.filter(({ at }) => at <= until).map((due) => partOf(core, due)));
      }
      if (entries.length < lookedAtOnce) break;
      gte = `${entries.at(-1)!}~`;
    }
  }
  return oneEach(found).toSorted((a, b) => a.at - b.at);
}

/** Whether a part that was due of a user's recording is due now. */
export async function isStillDue(
  deps: DueDeps,
  owner: string,
  { recordingId, part }: Pick<DuePart, 'recordingId' | 'part'>,
): Promise<boolean> {
  const [line] = await linesOf(deps.storage, [`/${recordingId}`]);
  if (line?.core.owner !== owner) return false;
  const rules = await rulesOf(deps, owner);
  return dueOf(line.core, rules).some((one) => one.part === part && one.at <= deps.now());
}

/**
 * Where to look: at all of a user's, or at those that have audio, from the shortest period of user and server on, and at folders
 * that have a shorter one. So neither a period of one folder nor one of audio that went long ago costs a look at the library.
 */
function listsOf(
  { storage }: Pick<DueDeps, 'storage'>,
  owner: string,
  { server, user, folders }: RetentionRules,
): { read: ReadEntries; shortest: number }[] {
  const withAudio = entriesOf(storage, recordingsName, `m/${owner}/`);
  const periodsOf = (layers: readonly RetentionLayer[]) => ({
    notes: shortestMs('notes', layers),
    audio: shortestMs('audio', layers),
  });
  const all = periodsOf([server, user]);
  const ofFolders = [...folders].flatMap(([id, layer]) => {
    const own = periodsOf([layer]);
    const read = entriesInAny(entriesOfOrder(storage, owner, { id, kind: 'folder' }));
    const covered = Math.min(all.notes, all.audio, own.notes);
    return [
      { read, shortest: own.notes, covered: all.notes },
      { read: entriesInAll([withAudio, read]), shortest: own.audio, covered },
    ];
  });
  return [
    { read: entriesOfOwner(storage, owner), shortest: all.notes, covered: Infinity },
    { read: withAudio, shortest: all.audio, covered: all.notes },
    ...ofFolders,
  ].filter(({ shortest, covered }) => shortest < covered);
}

/** Of a recording that goes as a whole by then, the audio is not named. */
function oneEach(found: readonly DuePart[]): DuePart[] {
  const whole = new Set(found.filter(({ part }) => part === 'notes').map((one) => one.recordingId));
  return found.filter(({ part, recordingId }) => part === 'notes' || !whole.has(recordingId));
}

const partOf = (core: KeptLine['core'], due: Due): DuePart => ({
  ...due,
  recordingId: core.recordingId,
  startedAt: core.startedAt,
  kind: core.kind,
  duration: core.duration,
  in: core.folder,
  hasReaders: core.access.length > 0 || core.links.length > 0,
  isHeld: isHeld(core.hold, due.at),
});
