import {
  type FactFrames,
  accessFrame,
  factFrames,
  missedFrames,
  positionFrame,
  tellsWhatWasSaid,
} from './frames.ts';
import { callFrame } from './call-frame.ts';
import { limits } from '../limits.ts';
import { type Hearers, concernedBy, formerHearers, hearersOf } from './audience.ts';
import { followEphemeral } from './ephemeral.ts';
import { type LinkFeed, openLinkFeed } from './link-feed.ts';
import { ownerOf } from './owner-of.ts';
import type { Language } from '../../words/params.ts';
import { presentStatus } from '../status-answer.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { type Needs, sees } from '../visible-recording.ts';
import type { FactOutline } from '../../../events/facts/catalogue.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import { limited } from '../../shared/mutex.ts';

/** Publishes to listeners what happens, in the order of the log, after the projections applied it. */
export interface Feed {
  /**
   * Status at the present position P, then (with `after`) everything durable in (after, P], then what
   * happens, without gap or double. Resolves when the listener follows live; rejects when it is gone.
   */
  join(listener: Listener, after: number | undefined): Promise<void>;
  /** Who follows one recording by a link. */
  readonly ofLinks: LinkFeed;
  /** Position up to which facts were published. */
  position(): number;
  /** Stops publishing; resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * One reader of the log for all listeners. Nothing is queued: the reader and each listener
 * that catches up hold a position and read on from it, so memory does not depend on who is slow.
 */
export function openFeed(services: HttpServices): Feed {
  const { projections, space, models, backups, captures, calls } = services;
  const owner = ownerOf(services);
  const closing = new AbortController();
  const ofLinks = openLinkFeed(services);
  const feed: Following = {
    services,
    owner,
    ofLinks,
    closing,
    published: projections.position(),
    here: new Set(),
    live: new Map(),
    publication: Promise.resolve(),
    touched: new Set(),
    concerned: new Set(),
    pumping: undefined,
    wanted: false,
  };

  const stops = [
    projections.onApplied(() => wake(feed)),
    followEphemeral(services, owner, {
      followed: () => isFollowedAtAll(feed),
      heard: ofLinks.heard,
      tell: (id, recordingId, frames, needs) => tell(feed, { id, recordingId, needs }, frames),
      touch: (id) => touch(feed, id),
    }),
    ...[space.onWarning, captures.onHeld].map((onChange) =>
      onChange(() => {
        for (const { caller } of feed.live.keys()) touch(feed, caller.userId);
      }),
    ),
    backups.onChange(() => {
      for (const { caller } of feed.live.keys()) if (caller.isAdmin) touch(feed, caller.userId);
    }),
    calls.onQuestion(() => {
      for (const listener of feed.live.keys())
        if (listener.isHere) listener.send(callFrame(services, listener.caller));
    }),
    models.onProgress((id, progress) => {
      const { phase = null, fraction = null } = progress ?? {};
      const frame = JSON.stringify({ type: 'model', id, phase, fraction });
      for (const listener of feed.live.keys()) {
        if (listener.caller.isAdmin) listener.send(frame);
      }
    }),
  ];

  return {
    ofLinks: { ...ofLinks, join: joinByLink(feed) },
    position: () => feed.published,
    join: joinAsUser(feed),
    async close() {
      closing.abort();
      for (const stop of stops) stop();
      await feed.pumping;
    },
  };
}

const isFollowedAtAll = ({ live, ofLinks }: Pick<Following, 'live' | 'ofLinks'>): boolean =>
  live.size > 0 || ofLinks.isFollowed();

/** Who comes first is told what comes after that: nobody was to be told what came before. */
function skipUnheard(feed: Following): void {
  if (isFollowedAtAll(feed) || feed.pumping) return;
  feed.published = Math.max(feed.published, feed.services.projections.position());
}

function joinAsUser(feed: Following): Feed['join'] {
  const { services } = feed;
  const catchUps = limited(limits.catchUpsAtOnceMax);
  return async (listener, after) => {
    const { signal } = listener;
    signal.throwIfAborted();
    feed.here.add(listener);
    signal.addEventListener('abort', () => leave(feed, listener), { once: true });
    skipUnheard(feed);
    const start = feed.published;
    listener.send(await statusFrame(services, listener, start));
    if (listener.isHere && services.calls.question())
      listener.send(callFrame(services, listener.caller));
    // Who hears the fact at work was asked without this listener; of each later one it is asked with it.
    await feed.publication.catch(() => undefined);
    await catchUps(async () => {
      signal.throwIfAborted();
      await catchUp(feed, listener, { after: after ?? start, statusAt: start });
    });
  };
}

const joinByLink =
  (feed: Following): LinkFeed['join'] =>
  (listener, from) => {
    skipUnheard(feed);
    return feed.ofLinks.join(listener, from);
  };

function leave({ here, live }: Following, listener: Listener): void {
  here.delete(listener);
  live.delete(listener);
}

/** The reader, and its listeners. */
type Following = {
  readonly services: HttpServices;
  readonly owner: ReturnType<typeof ownerOf>;
  readonly ofLinks: LinkFeed;
  /** All listeners, also those that catch up: each may follow before the fact at work is sent. */
  readonly here: Set<Listener>;
  /** Who follows, and the position each had seen when it began to. */
  readonly live: Map<Listener, number>;
  /** Owners whose status object has to be sent. */
  readonly touched: Set<string>;
  /** Users whose rights may have changed. */
  readonly concerned: Set<string>;
  readonly closing: AbortController;
  /** Up to which position listeners were sent the facts. */
  published: number;
  /** Ends when users were sent the fact at work. */
  publication: Promise<void>;
  pumping: Promise<void> | undefined;
  wanted: boolean;
};

/** Reads what the listener has not been sent until there is nothing more, then lets it follow. */
async function catchUp(
  feed: Following,
  listener: Listener,
  { after, statusAt }: { after: number; statusAt: number },
): Promise<void> {
  const { caller, signal } = listener;
  // Who is further behind, or saw what a restored log does not have, reads again what it shows.
  const isSkipped =
    feed.published - after > limits.catchUpFactsMax || (await isBeyondLog(feed, after));
  let seen = isSkipped ? feed.published : after;
  let isConcerned = isSkipped;
  while (seen < feed.published) {
    const until = feed.published;
    const missed = { afterPosition: seen, limit: until - seen };
    for await (const fact of feed.services.store.readAll(missed)) {
      signal.throwIfAborted();
      feed.closing.signal.throwIfAborted();
      seen = fact.position;
      isConcerned ||= (await concernedBy(feed.services, [listener], fact)).includes(caller.userId);
      const frames = factFrames(fact);
      const id = frames && (await feed.owner(frames.recordingId));
      if (!frames || id === undefined) continue;
      const hearers = await hearersOf(feed.services, [listener], {
        recordingId: frames.recordingId,
        id,
      });
      const former = await formerHearers(feed.services, [listener], fact, hearers);
      const missed = missedFrames(frames);
      for (const frame of framesFor(listener, { id, hearers, former }, missed))
        listener.send(frame);
      await listener.drained();
    }
    if (seen < until) throw new Error(`The log ended at ${seen}, before ${until}`);
  }
  signal.throwIfAborted();
  if (isConcerned) listener.send(accessFrame);
  listener.send(positionFrame(seen, isSkipped));
  // In the tick of the loop's last comparison: nothing can have been published in between.
  feed.live.set(listener, seen);
  if (feed.published !== statusAt) touch(feed, caller.userId);
}

/** What this node has not applied yet, another one may have told of. */
const isBeyondLog = async ({ published, services }: Following, after: number): Promise<boolean> =>
  after > published && after > (await services.store.head());

function touch(feed: Following, userId: string): void {
  feed.touched.add(userId);
  wake(feed);
}

function wake(feed: Following): void {
  feed.wanted = true;
  feed.pumping ??= pump(feed)
    .catch((error: unknown) => {
      feed.services.log.error({ err: error }, 'live feed failed; clients must reconnect');
      for (const listener of feed.live.keys()) listener.fail();
      feed.ofLinks.fail();
    })
    .finally(() => {
      feed.pumping = undefined;
      if (feed.wanted && !feed.closing.signal.aborted) wake(feed);
    });
}

async function pump(feed: Following): Promise<void> {
  while (feed.wanted && !feed.closing.signal.aborted) {
    feed.wanted = false;
    await publishFacts(feed, feed.services.projections.position());
    publishConcerned(feed);
    await publishStatuses(feed);
  }
}

async function publishFacts(feed: Following, until: number): Promise<void> {
  const { published } = feed;
  if (published >= until) return;
  if (!isFollowedAtAll(feed)) {
    // No client follows: the next one reads the log.
    feed.published = until;
    return;
  }
  const next = { afterPosition: published, limit: until - published };
  for await (const facts of feed.services.store.outlines(next)) {
    for (const fact of facts) {
      if (feed.closing.signal.aborted) return;
      await publish(feed, fact);
    }
  }
}

/** Users first: whoever follows by a link keeps nobody waiting. */
async function publish(feed: Following, outline: FactOutline): Promise<void> {
  feed.publication = publishToUsers(feed, outline);
  await feed.publication;
  await feed.ofLinks.publish(outline);
}

async function publishToUsers(feed: Following, outline: FactOutline): Promise<void> {
  const { store } = feed.services;
  const recordingId = recordingOf(outline.stream);
  const id = recordingId === undefined ? undefined : await feed.owner(recordingId);
  // What a person said is opened for nobody but those who may hear it, and only when they listen.
  const hearers: Hearers =
    recordingId === undefined || id === undefined
      ? new Set()
      : await hearersOf(feed.services, feed.here, { recordingId, id });
  const former = await formerHearers(feed.services, feed.here, outline, hearers);
  const isHeard =
    tellsWhatWasSaid(outline) && id !== undefined && (hearers.size > 0 || isFollowed(feed, id));
  const [fact = outline] = isHeard ? await store.opened([outline]) : [];
  const frames = factFrames(fact);
  const concerned = await concernedBy(feed.services, feed.here, outline);
  // From here to the end of the tick: sent and counted as sent, or neither.
  feed.published = fact.position;
  for (const userId of concerned) {
    feed.touched.add(userId);
    feed.concerned.add(userId);
  }
  if (!frames || id === undefined) return;
  send(feed, { id, hearers, former }, frames, fact.position);
  if (!frames.changesStatus) return;
  for (const userId of [id, ...hearers, ...former]) feed.touched.add(userId);
}

const isFollowed = ({ here }: Following, owner: string): boolean =>
  [...here].some(({ caller }) => sees(caller, owner));

/** Once for all that happened: who moves a hundred notes makes nobody's page look a hundred times. */
function publishConcerned({ live, concerned }: Following): void {
  for (const { caller, send } of live.keys()) if (concerned.has(caller.userId)) send(accessFrame);
  concerned.clear();
}

async function publishStatuses({ services, live, touched, published }: Following): Promise<void> {
  const owners = [...touched];
  touched.clear();
  for (const id of owners) {
    const theirs = ({ caller }: Listener) => caller.userId === id;
    const languages = new Set([...live.keys()].filter(theirs).map(({ language }) => language));
    for (const language of languages) {
      const inIt = (listener: Listener) => theirs(listener) && listener.language === language;
      const first = [...live.keys()].find(inIt);
      if (!first) continue;
      const frame = await statusFrame(services, first, published);
      for (const listener of live.keys()) if (inIt(listener)) listener.send(frame);
    }
  }
}

/** Frames without a position are ephemeral: they go to all that follow. */
function send(
  { live }: Pick<Following, 'live'>,
  audience: Audience,
  frames: SentFrames,
  position = Number.POSITIVE_INFINITY,
): void {
  for (const [listener, seen] of live) {
    if (position <= seen) continue;
    for (const frame of framesFor(listener, audience, frames)) listener.send(frame);
  }
}

/** What is in no log, to the owner and to those who have the right that it needs. */
function tell(
  feed: Following,
  { id, recordingId, needs }: { id: string; recordingId: string; needs: Needs },
  frames: Pick<FactFrames, 'ownerFrames' | 'readerFrames'>,
): void {
  const sent = { ...frames, administratorFrames: [] };
  // At once, so that no guess comes behind the words that replaced it; others are looked for.
  send(feed, { id, hearers: new Set() }, sent);
  const isOwnersAlone =
    needs === 'owner' || [...feed.live.keys()].every(({ caller }) => sees(caller, id));
  if (isOwnersAlone) return;
  hearersOf(feed.services, feed.live.keys(), { recordingId, id }, needs)
    .then((hearers) => send(feed, { id, hearers }, { ...sent, ownerFrames: [] }))
    .catch((error: unknown) =>
      feed.services.log.warn({ err: error, recordingId }, 'live message could not be sent'),
    );
}

/** Whose a recording is, who else hears of it, and who did until now: that much they learn. */
type Audience = { id: string; hearers: Hearers; former?: Hearers };
type SentFrames = Pick<FactFrames, 'ownerFrames' | 'readerFrames' | 'administratorFrames'>;

async function statusFrame(
  services: HttpServices,
  { caller, language }: Pick<Listener, 'caller' | 'language'>,
  position: number,
): Promise<string> {
  const status = await presentStatus(services, caller, { position, language });
  return JSON.stringify({ type: 'status', ...status });
}

/** A client that gets frames. `send` must not block; it may let the listener go instead. */
export type Listener = {
  /** Who it is; may be looked up again meanwhile, but stays the same user. */
  readonly caller: Caller;
  /** Of sentences; undefined: the house's. */
  readonly language: Language | undefined;
  /** Whether it is the service's own user, on its computer. */
  readonly isHere: boolean;
  /** An administrator who also wants the moves of everybody's recordings. */
  all: boolean;
  send(frame: string): void;
  /** Resolves when what was sent has been taken; rejects when the listener is gone. */
  drained(): Promise<void>;
  /** Ends the listener, because the feed cannot go on for it. It may come back and resume. */
  fail(): void;
  /** Aborts when the listener is gone. */
  signal: AbortSignal;
};

/** What a listener gets of a recording of `owner`. */
const framesFor = (
  { caller, all }: Listener,
  { id: owner, hearers, former }: Audience,
  { ownerFrames, readerFrames, administratorFrames }: SentFrames,
): readonly string[] => {
  if (sees(caller, owner)) return ownerFrames;
  if (hearers.has(caller.userId)) return readerFrames;
  return all || former?.has(caller.userId) ? administratorFrames : [];
};
