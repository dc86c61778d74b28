import { statusOf } from '../../projections/status.ts';
import type { Activity } from '../recordings/desk.ts';
import type { Caller, HttpServices } from './services.ts';

/**
 * The status object of `GET /status` and of `status` frames: what the facts tell, and what only the
 * running service knows. `position`: everything up to it is in.
 */
export async function presentStatus(
  services: Pick<HttpServices, 'storage' | 'desk' | 'projections' | 'version'>,
  caller: Pick<Caller, 'userId' | 'username' | 'isAdmin'>,
  position = services.projections.position(),
) {
  const { status, recording, processing, speakers_pending, errors } = await statusOf(
    services.storage,
    caller.userId,
  );
  return {
    status,
    username: caller.username,
    is_admin: caller.isAdmin,
    version: services.version,
    recording: recording && { ...recording, warnings: [] },
    processing: processing.map(({ recording_id, state, since, running }) => {
      const activity: Activity | undefined = services.desk.activity(recording_id)[0];
      return {
        recording_id,
        state,
        since,
        stage: activity?.stage ?? running[0]?.stage ?? null,
        fraction: activity?.fraction ?? null,
        attempt: activity?.attempt ?? running[0]?.attempt ?? null,
        waiting: activity?.waiting ?? null,
      };
    }),
    speakers_pending,
    errors,
    position,
  };
}

export type PresentStatus = Awaited<ReturnType<typeof presentStatus>>;
