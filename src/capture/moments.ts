import { LRUCache } from 'lru-cache';
import { type Stage, recordingOf } from '../../events/facts/recording.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { CaptureNow, CaptureWarning } from './capture-now.ts';
import type { Captures } from './captures.ts';
import { newestOfEach } from '../shared/newest-of-each.ts';
import type { Notices } from '../storage/notices.ts';
import type { RecordingService } from '../recordings/service.ts';
import type { StageNow } from '../recordings/stages/stage-progress.ts';

/** What goes on with a recording and is in no log. Never what was said: other nodes hear it unsealed. */
export type Moment = { recordingId: string; /** It was told before. */ again?: true } & (
  | { activity: StageNow }
  | { level: NonNullable<CaptureNow['level']> }
  | { warnings: CaptureWarning[] }
);

/** What other nodes say goes on with a recording. */
export type Elsewhere = {
  activity(recordingId: string): StageNow[];
  warnings(recordingId: string): CaptureWarning[];
};

/** Other nodes are told at most one moment of a kind a recording in so many milliseconds, and so many of all. */
const tellEveryMs = 1_000;
const togetherMax = 500;
/** What still goes on is told again so often, and is forgotten that was not told for so long, in milliseconds. */
const tellAgainEveryMs = 10_000;
/** Recordings of which it is remembered what other nodes said. */
const rememberedMax = 1_000;
const forgottenAfterMs = 3 * tellAgainEveryMs;

type Watched = {
  recordingService: Pick<RecordingService, 'onActivity'>;
  captures: Pick<Captures, 'onNow' | 'onWarnings'>;
};

type WatchedNow = Watched & {
  recordingService: Pick<RecordingService, 'activity'>;
  captures: Pick<Captures, 'warnings'>;
};

/** Hears each moment of this process; returns how to stop. */
export function onMoment(
  { recordingService, captures }: Watched,
  listener: (moment: Moment) => void,
): () => void {
  const stops = [
    recordingService.onActivity((recordingId, activity) => listener({ recordingId, activity })),
    captures.onNow(({ recordingId, level }) => {
      if (level) listener({ recordingId, level });
    }),
    captures.onWarnings(({ recordingId, warnings }) => listener({ recordingId, warnings })),
  ];
  return () => stops.forEach((stop) => stop());
}

/**
 * Tells other nodes of this one's moments, and keeps what they tell.
 * `dropped`: those beyond the limits, and other notices that were.
 */
export function exchangeMoments(
  watched: WatchedNow & { projections: Pick<ProjectionRunner, 'onApplied'> },
  notices: Pick<Notices, 'reachOthers' | 'tell' | 'listen' | 'dropped'>,
): { elsewhere: Elsewhere; dropped(): number; stop(): void } {
  if (!notices.reachOthers) return { elsewhere: nowhere, dropped: () => 0, stop() {} };
  const elsewhere = momentsElsewhere(notices, watched.projections);
  let dropped = 0;
  const newest = newestOfEach(
    (_, moment: Moment) => notices.tell('moment', JSON.stringify(moment)),
    { everyMs: tellEveryMs, max: togetherMax, onTooMany: () => (dropped += 1) },
  );
  const told = new Set<string>();
  const stopWatching = onMoment(watched, (moment) => {
    newest.add(kindOf(moment), moment);
    if (!('level' in moment)) told.add(moment.recordingId);
  });
  const again = setInterval(() => {
    for (const recordingId of told) {
      const now = nowWith(watched, recordingId);
      if (now.length === 0) told.delete(recordingId);
      for (const moment of now) newest.add(kindOf(moment), { ...moment, again: true });
    }
  }, tellAgainEveryMs).unref();
  return {
    elsewhere,
    dropped: () => dropped + notices.dropped(),
    stop() {
      elsewhere.stop();
      stopWatching();
      clearInterval(again);
      newest.stop();
    },
  };
}

const nowhere: Elsewhere = { activity: () => [], warnings: () => [] };

/** Of each of these the newest counts: each stage has its own. */
function kindOf(moment: Moment): string {
  const { recordingId } = moment;
  if ('activity' in moment) return `${recordingId} ${moment.activity.stage}`;
  return `${recordingId} ${'level' in moment ? 'level' : 'warnings'}`;
}

/** What goes on with a recording at this node. */
function nowWith({ recordingService, captures }: WatchedNow, recordingId: string): Moment[] {
  const warnings = captures.warnings(recordingId) ?? [];
  return [
    ...recordingService.activity(recordingId).map((activity) => ({ recordingId, activity })),
    ...(warnings.length > 0 ? [{ recordingId, warnings }] : []),
  ];
}

/**
 * Keeps what other nodes say goes on, until it is over by the facts, or was not said for half a minute: the node may
 * have died.
 */
function momentsElsewhere(
  notices: Pick<Notices, 'listen'>,
  projections: Pick<ProjectionRunner, 'onApplied'>,
  now: () => number = () => performance.now(),
): Elsewhere & { stop(): void } {
  const heard = new LRUCache<string, Map<string, { moment: Moment; at: number }>>({
    max: rememberedMax,
  });
  const stops = [
    onMomentElsewhere(notices, (moment) => {
      if (!('activity' in moment || 'warnings' in moment)) return;
      const { recordingId } = moment;
      const all = heard.get(recordingId) ?? new Map<string, { moment: Moment; at: number }>();
      heard.set(recordingId, all.set(kindOf(moment), { moment, at: now() }));
    }),
    projections.onApplied((facts) => {
      for (const { stream, from, to = '' } of facts) {
        const recordingId = recordingOf(stream);
        const all = recordingId === undefined || from === to ? undefined : heard.get(recordingId);
        if (!all) continue;
        for (const [kind, { moment }] of all)
          if (!('activity' in moment) || isOver(moment.activity.stage, to)) all.delete(kind);
      }
    }),
  ];
  const present = (recordingId: string): Moment[] =>
    [...(heard.get(recordingId)?.values() ?? [])]
      .filter(({ at }) => now() - at < forgottenAfterMs)
      .map(({ moment }) => moment);
  return {
    activity: (recordingId) =>
      present(recordingId).flatMap((one) => ('activity' in one ? [one.activity] : [])),
    warnings: (recordingId) =>
      present(recordingId).flatMap((one) => ('warnings' in one ? one.warnings : [])),
    stop: () => stops.forEach((stop) => stop()),
  };
}

/** The same service, of whose recordings is also known what other nodes say. */
export const withElsewhere = <S extends Pick<RecordingService, 'activity'>>(
  service: S,
  elsewhere: Pick<Elsewhere, 'activity'>,
): S =>
  elsewhere === nowhere
    ? service
    : {
        ...service,
        activity(recordingId) {
          const here = service.activity(recordingId);
          const there = elsewhere.activity(recordingId);
          return [
            ...here,
            ...there.filter(({ stage }) => here.every((one) => one.stage !== stage)),
          ];
        },
      };

/** Stages of two that run side by side go on when the other ends; all others end with a change of the state. */
const isOver = (stage: Stage, state: string): boolean =>
  !state.includes(`${stage}.`) || state.includes(`${stage}.done`);

/** Hears moments of other nodes, which are of this version; returns how to stop. */
export const onMomentElsewhere = (
  notices: Pick<Notices, 'listen'>,
  listener: (moment: Moment) => void,
): (() => void) =>
  notices.listen('moment', (text) => {
    const moment: Moment = JSON.parse(text);
    listener(moment);
  });
