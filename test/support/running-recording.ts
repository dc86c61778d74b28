import type { TestService } from './http-client.ts';

/** Of the one that `runningRecording` begins. */
export const runningId = '01K9ZZZZZZZZZZZZZZZZZZZZZZ';

/** A recording that was begun, unless said otherwise from no device: then nothing is captured in this service. */
export async function runningRecording(
  service: TestService,
  token: string,
  device: string | null = null,
): Promise<string> {
  const { userId } = (await service.accounts.authenticate(token))!;
  const recordingId = runningId;
  const start = {
    owner: userId,
    by: userId,
    kind: 'solo',
    language: null,
    speakers: null,
  } as const;
  await service.recordingService.startRecording({
    ...start,
    recordingId,
    command: 'start',
    device,
    trigger: device === null ? 'browser' : 'api',
  });
  await service.projections.applied('all', await service.store.head());
  return recordingId;
}
