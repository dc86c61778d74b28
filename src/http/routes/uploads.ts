import { detail } from '../../words/details.ts';
import { wrong } from '../../shared/in-words.ts';
import * as z from 'zod';
import { stat } from 'node:fs/promises';
import { kindSchema } from '../../../events/facts/recording.ts';
import { speechBytesBeyond } from '../../audio/speech-file.ts';
import { mutexByName } from '../../shared/mutex.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import { doneBefore } from '../middleware/idempotency.ts';
import { peopleFieldSchema } from '../../recordings/people-given.ts';
import type { Admission } from '../../storage/quota.ts';
import {
  clockTimeSchema,
  folderSchema,
  languageSchema,
  momentSchema,
  outOfOrder,
  speakersInOrder,
  titleSchema,
  usualKindSchema,
  validated,
} from '../body.ts';
import { notFound } from '../problems.ts';
import { folderGiven } from '../order-changes.ts';
import { answerImported, receiveUpload, uploadsDirOf } from '../uploads/receive-upload.ts';
import type { RouteServices } from '../services.ts';
import * as answers from '../openapi/recording-answers.ts';
import { toImport } from '../middleware/ready.ts';
import { type RouteContext, routesOf } from '../route.ts';

const speakersField = z
  .string()
  .regex(/^\d{1,2}$/, wrong('speakers-count'))
  .transform(Number)
  .pipe(z.number().min(1).max(20));

export const fieldsSchema = z
  .strictObject({
    kind: kindSchema.optional().describe('else as its folder or a rule has it, else `usual_kind`'),
    usual_kind: usualKindSchema,
    language: languageSchema
      .optional()
      .describe('else as its folder or a rule has it, else as heard'),
    title: titleSchema.transform((title) => (title === '' ? undefined : title)).optional(),
    started_at: momentSchema
      .optional()
      .describe('when it began; else as the file says of itself, else `modified_at`, else now'),
    modified_at: clockTimeSchema
      .optional()
      .describe(
        'when the file was last changed; in the future, or before 1980, it counts for nothing',
      ),
    people: peopleFieldSchema.optional(),
    folder: folderSchema.optional(),
    speakers: speakersField.nullable().default(null).describe('exactly so many people speak'),
    speakers_min: speakersField.optional().describe('at least so many, without `speakers`'),
    speakers_max: speakersField.optional().describe('at most so many, without `speakers`'),
  })
  .refine(speakersInOrder, outOfOrder);

// Of equal requests at once only one takes a place; the others are answered as it was.
const inTurn = mutexByName();

/** An uploaded file takes the same pipeline as a captured one. */
export const uploadRoutes = [
  routesOf({ tag: 'Recordings' })('post', '/recordings', {
    id: 'uploadRecording',
    summary: 'Takes an audio file; it goes through the same pipeline as a captured one',
    needs: toImport,
    body: { form: fieldsSchema },
    answers: {
      202: {
        ...answers.going,
        json: answers.uploaded,
        headers: { Location: 'Path of the recording.' },
      },
    },
    problems: ['not-found', 'unsupported-media', 'decoder-stalled', 'disk-full', 'space-limit'],
    command: true,
    run: async ({ ctx, caller: { userId }, onBehalf: { command } }, services) =>
      await inTurn(command, async () => {
        refuseWhenStopped(services);
        // The service finds the first answer; here it is only seen to that there is not another one's.
        const done = await doneBefore(services, ctx.state, { types: ['audio.imported'] });
        await services.uploads.receive(ctx, userId, async () => {
          // What is there already is answered with, and thrown away once more.
          const announced = Number(ctx.get('Content-Length')) || 0;
          const coming = done ? null : await services.space.admit(announced, userId);
          try {
            await receiveRecording({ ctx, userId, command }, services, coming);
          } finally {
            coming?.gone();
          }
        });
      }),
  }),
];

/** @param coming what the file is counted into as it arrives */
async function receiveRecording(
  { ctx, userId, command }: { ctx: RouteContext; userId: string; command: string },
  services: RouteServices,
  coming: Admission | null,
): Promise<void> {
  const fileBytesMax = services.settings()['limits.upload_mb'] * 1024 * 1024;
  const uploadsDir = uploadsDirOf(services.dataDir);
  const arrived = async (bytes: number) => await coming?.arrived(bytes);
  await receiveUpload(ctx, { uploadsDir, fileBytesMax, arrived }, async (upload) => {
    const {
      started_at,
      modified_at,
      usual_kind: usualKind,
      ...fields
    } = validated(fieldsSchema, upload.fields);
    folderGiven(fields.folder, await services.order.of(userId));
    const { madeAt, seconds } = await services.acceptsAudio(upload.path);
    // A body in chunks does not announce its length. What it takes while it is recognised has to fit as well.
    const { size: bytes } = await stat(upload.path);
    await coming?.becomes(bytes, { later: speechBytesBeyond({ bytes, seconds }) });
    refuseWhenStopped(services);
    // A session may have ended meanwhile; a user that was deleted has nothing any more.
    if (!services.accounts.isUser(userId)) throw notFound(detail('uploader-gone'));
    const accepted = await services.recordingService.importAudio({
      path: upload.path,
      filename: upload.filename,
      owner: userId,
      by: userId,
      command,
      ...fields,
      usualKind,
      began: { said: started_at, madeAt, modifiedAt: modified_at },
    });
    coming?.kept();
    await untilReadable(services, accepted);
    await answerImported(ctx, services, accepted);
  });
}
