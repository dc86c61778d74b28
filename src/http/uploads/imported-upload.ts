import type { Context } from 'koa';
import { sameAudioAs } from '../../../projections/library.ts';
import type { HttpServices } from '../services.ts';
import { statusName } from '../recording-answer.ts';

/** The recording that an upload has become. */
export type ImportedUpload = { recordingId: string; state: string };

/** The command by which the log knows that an upload has become a recording. */
export const uploadCommandOf = (uploadId: string): string => `upload:${uploadId}`;

/** What `POST /recordings` answers. */
export async function answerImported(
  ctx: Context,
  { storage }: Pick<HttpServices, 'storage'>,
  { recordingId, state }: ImportedUpload,
): Promise<void> {
  ctx.set('Location', `/recordings/${recordingId}`);
  ctx.status = ctx.method === 'HEAD' ? 200 : 202;
  if (ctx.method === 'HEAD') return;
  ctx.body = {
    recording_id: recordingId,
    status: statusName(state),
    same_audio_as: await sameAudioAs(storage, recordingId),
  };
}
