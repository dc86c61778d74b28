import type { FactOutline } from '../../../events/facts/catalogue.ts';
import { isOver } from '../../../events/facts/links.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import type { KeptLink, RecordingRow } from '../../../projections/recording-row.ts';
import { recordingById } from '../../../projections/recordings.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import { linkCaller } from '../../accounts/caller.ts';
import { type AccessWatch, openAccessWatch } from '../access-watch.ts';
import { isReadable, openLinkIn, sharedState } from '../open-links.ts';
import type { HttpServices } from '../services.ts';
import { erasedState } from '../../recordings/handle.ts';
import { lastFrame, sharedFrameOf } from '../shared-note.ts';
import { factFrames } from './frames.ts';
import { joinTexts } from '../../shared/segments.ts';

/** Who follows one recording by a link. `send` must not block. */
export type LinkListener = {
  readonly recordingId: string;
  readonly link: string;
  send(frame: string): void;
  /** The link opens nothing any more. */
  over(): void;
  /** The feed cannot go on for it. */
  fail(): void;
};

/**
 * What those hear who have a link: how far the recording is (`shared`), and what is said while it is recorded if the link
 * says so. Nothing else: no status, no moves, no side notes. Each fact asks again whether the link is open.
 */
export interface LinkFeed {
  /** Tells how far it is, and what was said from this utterance on; then what comes. */
  join(listener: LinkListener, from: number): Promise<void>;
  leave(listener: LinkListener): void;
  /** Tells again how far it is: a page sees by it that the connection is one. */
  remind(listener: LinkListener): void;
  isFollowed(): boolean;
  /** A fact that the projections have applied. */
  publish(fact: FactOutline): Promise<void>;
  /** What may have been said, and is in no log. */
  heard(recordingId: string, frame: object): void;
  /** The feed failed. */
  fail(): void;
}

type Services = Pick<HttpServices, 'storage' | 'store' | 'settings' | 'accounts' | 'log'>;
type Followed = {
  readonly unwatch: () => void;
  /** The last `shared` frame. */
  said: string;
  /** The link, while words may be sent by it. */
  speaking: KeptLink | null;
};

export function openLinkFeed(services: Services): LinkFeed {
  const watching: AccessWatch = openAccessWatch(services);
  const listeners = new Map<string, Map<LinkListener, Followed>>();
  const leave = (listener: LinkListener): void => {
    const all = listeners.get(listener.recordingId);
    all?.get(listener)?.unwatch();
    all?.delete(listener);
    if (all?.size === 0) listeners.delete(listener.recordingId);
  };
  const end = (listener: LinkListener, how: 'discarded' | 'over'): void => {
    leave(listener);
    listener.send(JSON.stringify(lastFrame(listener.recordingId, how)));
    listener.over();
  };
  /** What closed it may be that the recording is gone, whose last fact says more. */
  const closed = async (listener: LinkListener): Promise<void> => {
    const row = await recordingById(services.storage, listener.recordingId).catch(() => undefined);
    if (row?.state === erasedState) return;
    if (listeners.get(listener.recordingId)?.has(listener)) end(listener, 'over');
  };
  const tell = (listener: LinkListener, followed: Followed, row: RecordingRow): boolean => {
    const isOpen = tellStanding(services, row, listener, followed);
    if (!isOpen) end(listener, 'over');
    return isOpen;
  };

  return {
    async join(listener, from) {
      const { recordingId } = listener;
      const all = listeners.get(recordingId) ?? new Map<LinkListener, Followed>();
      const unwatch = watching.watch(watchedFor(listener), () => void closed(listener));
      const followed: Followed = { unwatch, said: '', speaking: null };
      // First of all, so that no fact falls between what is read and what is published.
      listeners.set(recordingId, all.set(listener, followed));
      const row = await recordingById(services.storage, recordingId);
      if (!all.has(listener)) return;
      if (!row) end(listener, 'over');
      else if (tell(listener, followed, row) && followed.speaking)
        for (const frame of await saidSince(services, recordingId, from)) listener.send(frame);
    },
    leave,
    remind: (listener) => sayAgain(listener, listeners.get(listener.recordingId)?.get(listener)),
    isFollowed: () => listeners.size > 0,
    async publish(fact) {
      const recordingId = recordingOf(fact.stream) ?? '';
      const all = listeners.get(recordingId);
      if (!all) return;
      if (fact.to === erasedState) {
        const how = fact.type === 'recording.discarded' ? 'discarded' : 'over';
        for (const listener of all.keys()) end(listener, how);
        return;
      }
      const row = await recordingById(services.storage, recordingId);
      for (const [listener, followed] of all) {
        if (row) tell(listener, followed, row);
      }
      await sendSaid(services, all, fact);
    },
    heard(recordingId, frame) {
      const all = listeners.get(recordingId);
      if (!all) return;
      const text = JSON.stringify(frame);
      for (const [listener, { speaking }] of all)
        if (speaking && !isOver(speaking)) listener.send(text);
    },
    fail() {
      for (const all of listeners.values()) for (const one of all.keys()) one.fail();
    },
  };
}

function sayAgain(listener: LinkListener, followed: Followed | undefined): void {
  if (followed !== undefined && followed.said !== '') listener.send(followed.said);
}

const watchedFor = ({ recordingId, link }: LinkListener) => ({
  caller: linkCaller(recordingId, link),
  recordingId,
  needs: 'link' as const,
});

/** Tells a listener how far it is, if that is news; false: the link is not open. */
function tellStanding(
  services: Services,
  row: RecordingRow,
  listener: LinkListener,
  followed: Followed,
): boolean {
  const link = openLinkIn(services, row, listener.link);
  if (!link) return false;
  const isSpeaking = isReadable(row, link) && sharedState(row) === 'running';
  followed.speaking = isSpeaking ? link : null;
  const frame = JSON.stringify(sharedFrameOf(services, row, link));
  if (frame !== followed.said) listener.send(frame);
  followed.said = frame;
  return true;
}

/** Sends what was said, to those who may read it. */
async function sendSaid(
  { store }: Pick<HttpServices, 'store'>,
  all: ReadonlyMap<LinkListener, Followed>,
  fact: FactOutline,
): Promise<void> {
  const isHeard = [...all.values()].some(({ speaking }) => speaking);
  if (fact.type !== 'utterance.recognised' || !isHeard) return;
  const [opened] = await store.opened([fact]);
  for (const frame of (opened && factFrames(opened)?.readerFrames) ?? [])
    for (const [listener, { speaking }] of all) if (speaking) listener.send(frame);
}

/** What was said from this utterance on, as frames. */
async function saidSince(
  { storage }: Pick<HttpServices, 'storage'>,
  recordingId: string,
  from: number,
): Promise<string[]> {
  const { utterances = [] } = (await transcriptOf(storage, recordingId)) ?? {};
  return utterances
    .filter(({ index }) => index >= from)
    .map(({ index, start, end, language, segments, voice: speaker = null }) => {
      const text = joinTexts(segments.map((segment) => segment.text));
      const said = { index, start, end, text, language: language ?? undefined, speaker };
      const frame = { type: 'utterance', recording_id: recordingId, ...said, final: true };
      return JSON.stringify(frame);
    });
}
