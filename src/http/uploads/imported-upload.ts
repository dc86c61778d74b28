import type { Context } from 'koa';
import { statusName } from '../recording-answer.ts';

/** The recording that a resumable upload has become. */
export type ImportedUpload = { recordingId: string; state: string };

/** The command by which the log knows that an upload has become a recording. */
export const uploadCommandOf = (uploadId: string): string => `upload:${uploadId}`;

/** What `POST /recordings` answers. */
export function answerImported(ctx: Context, { recordingId, state }: ImportedUpload): void {
  ctx.set('Location', `/recordings/${recordingId}`);
  ctx.status = ctx.method === 'HEAD' ? 200 : 202;
  if (ctx.method !== 'HEAD') ctx.body = { recording_id: recordingId, status: statusName(state) };
}
