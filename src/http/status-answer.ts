import { access } from '../../projections/access.ts';
import type { CaptureNow } from '../capture/capture-now.ts';
import type { BackupNow } from '../integrity/backups.ts';
import {
  type AtWork,
  type RecordingNow,
  type StatusView,
  recordings,
  statusOf,
} from '../../projections/recordings.ts';
import { listed } from '../../projections/recording-row.ts';
import { cachedReads } from './cached-reads.ts';
import { limits } from './limits.ts';
import { oncePer } from '../shared/once-per.ts';
import { followable, foldersWithMe } from './shared-with-me.ts';
import type { ServiceHealth } from '../integrity/verify.ts';
import type { RecordingService } from '../recordings/service.ts';
import { type Reader, errorIn, heardBy, hearerOf, waitingIn } from './readers-language.ts';
import type { Language, Sentence } from '../words/params.ts';
import { statusEntry, suggestionAnswers } from './recording-answer.ts';
import type { HttpServices } from './services.ts';
import type { Caller } from '../accounts/caller.ts';
import { sayWhole, shownTo } from '../words/say.ts';
import { findingAnswer } from '../integrity/findings.ts';

/**
 * The status object of `GET /status` and of `status` frames: what the facts tell, and what only the
 * running service knows. `position`: everything up to it is in. `language`: of its sentences; else the house's.
 */
export async function presentStatus(
  services: Pick<
    HttpServices,
    | 'storage'
    | 'recordingService'
    | 'captures'
    | 'elsewhere'
    | 'projections'
    | 'version'
    | 'health'
    | 'space'
    | 'disk'
    | 'settings'
    | 'backups'
    | 'hasLanguageModel'
    | 'refreshing'
    | 'accounts'
    | 'order'
  >,
  caller: Pick<Caller, 'userId' | 'username' | 'isAdmin'>,
  {
    position = services.projections.position(),
    language = services.settings()['ui.language'],
  }: { position?: number; language?: Language | undefined } = {},
) {
  const { userId } = caller;
  const [now, following, refreshing, backup] = await Promise.all([
    readsOf(services.projections).statuses(userId, () => statusOf(services.storage, userId), still),
    followingNow(services, caller),
    services.refreshing.left(userId),
    caller.isAdmin ? services.backups.now() : null,
  ]);
  const { status, recording, recordings, processing, speakersPending, errors } = now;
  const reader = { language, isAdmin: caller.isAdmin };
  const warned = [services.disk.warning(), services.space.warning()];
  return {
    status,
    username: caller.username,
    is_admin: caller.isAdmin,
    version: services.version,
    language_model: services.hasLanguageModel(),
    recording: recording && asItSounds(recording, services, reader),
    recordings: recordings.map((one) => asItSounds(one, services, reader)),
    others_record: services.captures.held().filter((device) => device !== recording?.device),
    processing: processing.flatMap((row) => stagesAtWork(row, services.recordingService, reader)),
    speakers_pending: speakersPending.map((waiting) => ({
      ...statusEntry(waiting),
      speakers: suggestionAnswers(waiting.speakers, language),
    })),
    errors: errors.map((error) => ({
      ...errorIn(reader, statusEntry(error)),
      waiting: waitingIn(
        reader,
        services.recordingService.activity(error.recordingId)[0]?.waiting ?? null,
      ),
    })),
    health: presentHealth(services.health(), caller.isAdmin, language),
    ...(caller.isAdmin ? { backup: backupIn(language, backup) } : {}),
    following,
    refreshing,
    warnings: warned.flatMap((one) => (one === null ? [] : [warningIn(reader, one)])),
    position,
  };
}

/** What is kept for routes and the feed alike. */
const readsOf = oncePer((projections: HttpServices['projections']) => ({
  statuses: cachedReads<StatusView>(projections, [recordings.name], limits.statusesKeptMax),
  following: cachedReads<RunningOfOthers>(
    projections,
    [recordings.name, access.name],
    limits.statusesKeptMax,
  ),
}));

// For how long something has been recording is computed at each request.
const still = ({ recordings }: StatusView) => recordings.length === 0;

type FollowingServices = Pick<HttpServices, 'storage' | 'accounts' | 'settings' | 'order'>;

async function followingNow(
  services: FollowingServices & Pick<HttpServices, 'projections'>,
  caller: Pick<Caller, 'userId'>,
): Promise<RunningOfOthers> {
  const { accounts, settings } = services;
  // What others record may also be withdrawn by a group, an account or a setting.
  const key = [caller.userId, settings()['sharing.users'], await accounts.takeIn()].join();
  return await readsOf(services.projections).following(key, () =>
    runningOfOthers(services, caller),
  );
}

type RunningOfOthers = Awaited<ReturnType<typeof runningOfOthers>>;

/** What others record that the caller may follow. */
async function runningOfOthers(services: FollowingServices, caller: Pick<Caller, 'userId'>) {
  const lines = await followable(services, caller, limits.followingMax);
  const rows = await listed(services.storage, lines);
  const known = rows.some(({ folder }) => folder !== null)
    ? await foldersWithMe(services, caller.userId)
    : [];
  return rows.map(({ recordingId, owner, folder, title, startedAt }) => ({
    recording_id: recordingId,
    owner: services.accounts.nameOf(owner),
    folder: known.find(({ id }) => id === folder)?.name ?? null,
    title,
    since: startedAt,
  }));
}

/** A backup as administrators are told of it: of one that failed why. */
export const backupIn = <B extends BackupNow | null>(language: Language, one: B) =>
  one && { ...one, error: one.error && sayWhole(one.error, language) };

/** The log tells when it began; the capture how much of it there is, and what is wrong with it. */
function asItSounds(
  recording: RecordingNow,
  {
    captures,
    elsewhere,
    recordingService,
  }: Pick<HttpServices, 'captures' | 'elsewhere' | 'recordingService'>,
  reader: Reader,
) {
  const { recordingId } = recording;
  const now = captures.now(recordingId);
  const followed = recordingService
    .activity(recordingId)
    .find(({ stage, attempt }) => stage === 'follow' && attempt > 0);
  return {
    ...statusEntry(recording),
    // A device that is still being opened has not been heard yet, whatever the clock says.
    source: sourceOf(recording, now),
    duration: now?.duration ?? (recording.device === null ? recording.duration : 0),
    warnings: (captures.warnings(recordingId) ?? elsewhere.warnings(recordingId)).map((one) =>
      warningIn(reader, one),
    ),
    live: followed
      ? { behind: followed.behind ?? 0, waiting: waitingIn(reader, followed.waiting) }
      : null,
  };
}

/** What another node hears of a browser it does not say: then it has no name. */
const sourceOf = ({ device }: RecordingNow, now: CaptureNow | null) => ({
  kind: device === null ? (now?.recorder?.kind ?? ('browser' as const)) : ('server' as const),
  name: device ?? now?.recorder?.name ?? null,
  mine: device === null,
});

/** @param warning one that another node of an earlier release tells has no code */
function warningIn<Code extends string>(
  reader: Reader,
  { code, message = '', said }: { code: Code; message?: string; said?: Sentence | undefined },
) {
  if (!said) return { code, message };
  const { code: reason, params } = shownTo(hearerOf(reader), said);
  return { code, message: heardBy(reader, said), reason, ...(params && { params }) };
}

/** Which records are damaged names recordings of others: for administrators. */
const presentHealth = (
  { state, writable, advice, damage, more }: ServiceHealth,
  isAdmin: boolean,
  language: Language,
) =>
  isAdmin
    ? {
        state,
        writable,
        advice: advice.map((one) => sayWhole(one, language)),
        damage: damage.map((one) => findingAnswer(one, language)),
        more,
      }
    : { state, writable };

/** One entry a stage: of two that run side by side each has its own progress. */
function stagesAtWork(
  { running, since, ...recording }: AtWork,
  recordingService: RecordingService,
  reader: Reader,
) {
  const activities = recordingService.activity(recording.recordingId);
  // A stage that waits for its turn has not started: only the running service can name it.
  const stages = new Set([...running.map(({ stage }) => stage), ...activities.map((a) => a.stage)]);
  return [...(stages.size > 0 ? stages : [null])].map((stage) => {
    const activity = activities.find((one) => one.stage === stage);
    const started = running.find((one) => one.stage === stage);
    return {
      ...statusEntry(recording),
      stage,
      fraction: activity?.fraction ?? null,
      seconds_left: activity?.seconds_left ?? null,
      attempt: started?.attempt ?? activity?.attempt ?? null,
      since: started?.since ?? since,
      waiting: waitingIn(reader, activity?.waiting ?? null),
    };
  });
}
