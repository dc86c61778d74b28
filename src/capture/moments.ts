import type { CaptureNow, CaptureWarning } from './capture-now.ts';
import type { Captures } from './captures.ts';
import { newestOfEach } from '../shared/newest-of-each.ts';
import type { Notices } from '../storage/notices.ts';
import type { RecordingService } from '../recordings/service.ts';
import type { StageNow } from '../recordings/stages/stage-progress.ts';

/** What goes on with a recording and is in no log. Never what was said: other nodes hear it unsealed. */
export type Moment = { recordingId: string } & (
  | { activity: StageNow }
  | { level: NonNullable<CaptureNow['level']> }
  | { warnings: CaptureWarning[] }
);

/** Other nodes are told at most one moment of a kind a recording in so many milliseconds, and so many of all. */
const tellEveryMs = 1_000;
const togetherMax = 500;

type Watched = {
  recordingService: Pick<RecordingService, 'onActivity'>;
  captures: Pick<Captures, 'onNow' | 'onWarnings'>;
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

/** Tells other nodes of this one's moments. `dropped`: those beyond the limits, and other notices that were. */
export function tellMoments(
  watched: Watched,
  notices: Pick<Notices, 'tell' | 'dropped'>,
): { dropped(): number; stop(): void } {
  let dropped = 0;
  const newest = newestOfEach(
    (_, moment: Moment) => notices.tell('moment', JSON.stringify(moment)),
    { everyMs: tellEveryMs, max: togetherMax, onTooMany: () => (dropped += 1) },
  );
  const stopWatching = onMoment(watched, (moment) => {
    const [kind] = Object.keys(moment).filter((key) => key !== 'recordingId');
    newest.add(`${moment.recordingId} ${kind}`, moment);
  });
  return {
    dropped: () => dropped + notices.dropped(),
    stop() {
      stopWatching();
      newest.stop();
    },
  };
}

/** Hears moments of other nodes, which are of this version; returns how to stop. */
export const onMomentElsewhere = (
  notices: Pick<Notices, 'listen'>,
  listener: (moment: Moment) => void,
): (() => void) => notices.listen('moment', (text) => listener(JSON.parse(text) as Moment));
