import type { TestService } from './http-client.ts';

/** A recording that runs, from no device: nothing is captured in this service. */
export async function runningRecording(service: TestService, token: string): Promise<string> {
  const { userId } = (await service.accounts.authenticate(token))!;
  const recordingId = '01K9ZZZZZZZZZZZZZZZZZZZZZZ';
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
    device: null,
    trigger: 'browser',
  });
  await service.projections.applied('all', await service.store.head());
  return recordingId;
}
