import * as z from 'zod';
import { isIn } from '../../../machines/states.ts';
import { kindSchema } from '../../../events/facts/recording.ts';
import { isRefusal } from '../../../events/command-handler.ts';
import {
  type DecideRecording,
  changeRecording,
  reprocess,
} from '../../../projections/recording/decide.ts';
import { recordings, recordingById } from '../../../projections/recordings.ts';
import type { Caller } from '../../accounts/caller.ts';
import { documentPaths } from '../../documents/documents.ts';
import { comparable } from '../../documents/file-names.ts';
import { zipStream } from '../../export/zip-stream.ts';
import type { Accepted } from '../../recordings/import-audio.ts';
import type { Language } from '../../words/params.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { wrong } from '../../shared/in-words.ts';
import { limits } from '../limits.ts';
import { copiesLeft } from '../openapi/erased-answer.ts';
import { changedTogether } from '../openapi/order-answers.ts';
import { templateIdSchema } from '../body.ts';
import { Problem, invalid } from '../problems.ts';
import { assertTemplate } from '../templates.ts';
import { orderSchema, orderWanted } from '../order-changes.ts';
import { orderedTogether } from '../ordered-together.ts';
import { routesOf } from '../route.ts';
import type { RouteServices } from '../services.ts';
import { erasedFor } from './recording-edits.ts';
import { idsUpTo, refusal, refusals } from '../several.ts';
import { isStillIn } from '../access-watch.ts';
import { readDocuments } from '../documents-seen.ts';
import { noteLook } from '../looked.ts';
import { missingLine } from '../own-export.ts';
import { languageWanted } from '../readers-language.ts';
import { seenRecording, visibleRecording } from '../visible-recording.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';

const route = routesOf({ tag: 'Recordings' });

/** What is done with several recordings at once. */
export const manyRecordingRoutes = [
  route('post', '/recordings/bulk/erase', {
    id: 'eraseRecordings',
    summary: 'Erases several recordings: documents, audio and every word of them, for good',
    description:
      'One after the other; what could not be erased is named, the others are gone. `count` says again how many ' +
      'are meant. There is no undo. A repetition goes on where it stopped.',
    body: {
      json: z.strictObject({
        recording_ids: idsUpTo(limits.erasedTogetherMax),
        count: z.int().describe('how many there are in `recording_ids`'),
      }),
    },
    answers: {
      200: {
        description: 'Done.',
        json: z.object({
          erased: z.int().describe('how many of them are gone now'),
          ...copiesLeft,
          refused: refusals,
        }),
      },
    },
    problems: ['not-found', 'not-accepted'],
    command: true,
    makesRoom: true,
    async run({ ctx, body: { recording_ids: ids, count }, caller, onBehalf }, services) {
      if (count !== ids.length)
        throw invalid([
          { path: 'count', fault: fieldFault('count-differs', { count: ids.length }) },
        ]);
      refuseWhenStopped(services);
      const left: string[] = [];
      const away: string[] = [];
      const refused: z.output<typeof refusals> = [];
      let last: Accepted | undefined;
      for (const id of ids) {
        try {
          // Gone already.
          const row = await recordingById(services.storage, id);
          if (row?.owner === caller.userId && isIn(row.state, 'idle.erased')) continue;
          const command = `${onBehalf.command}/${id}`;
          const erased = await erasedFor(services, caller, id, { by: onBehalf.by, command });
          left.push(...erased.left);
          away.push(...erased.away);
          last = erased;
        } catch (error) {
          refused.push({ recording_id: id, ...refusal(ctx, error) });
        }
      }
      if (last) await untilReadable(services, last);
      return { erased: ids.length - refused.length, left, away, refused };
    },
  }),
  route('post', '/recordings/bulk', {
    id: 'changeRecordings',
    summary: 'Puts several recordings in order: folder, tags, kind; or has them summarised again',
    description:
      'One after the other; what was refused is named, the others are as they should be. `before` undoes it, sent back. ' +
      'A repetition goes on where it stopped, and says `before` as it was the first time. With `template` a language model ' +
      'makes each summary again, after the answer: that is not undone by `before`; the summary of today stays a version.',
    body: {
      json: z.strictObject({
        changes: z
          .array(
            z.strictObject({
              recording_id: z.string().min(1).max(64),
              ...orderSchema.shape,
              kind: kindSchema.optional(),
              template: templateIdSchema
                .nullable()
                .optional()
                .describe(
                  `its summary is made again by it, of at most ${limits.summarisedTogetherMax} recordings; null: by that ` +
                    'of the folder or the kind. Not together with `kind`, which makes it again too',
                ),
              rule_template: templateIdSchema
                .nullable()
                .optional()
                .describe('as `before` says it; no summary is made'),
            }),
          )
          .min(1)
          .max(limits.changedTogetherMax)
          .refine(
            (all) => new Set(all.map((one) => one.recording_id)).size === all.length,
            wrong('recording-named-twice'),
          )
          .refine(
            (all) =>
              all.filter((one) => one.template !== undefined).length <=
              limits.summarisedTogetherMax,
            wrong('summaries-most', { count: limits.summarisedTogetherMax }),
          )
          .refine(
            (all) => all.every((one) => one.template === undefined || one.kind === undefined),
            wrong('kind-or-template'),
          ),
      }),
    },
    answers: {
      200: {
        description: 'Done.',
        json: changedTogether(refusals),
      },
    },
    problems: ['not-found', 'not-accepted', 'no-language-model'],
    command: true,
    async run({ ctx, body: { changes }, caller, onBehalf }, services) {
      const hasLanguageModel = services.hasLanguageModel();
      if (!hasLanguageModel && changes.some(({ template }) => template !== undefined))
        throw new Problem('no-language-model');
      const wanted = new Map(changes.map(({ recording_id: id, ...change }) => [id, change]));
      const { done, refused } = await orderedTogether(
        services,
        { ctx, caller, onBehalf },
        [...wanted.keys()],
        async (id, { owner }, personal) => {
          const { kind, template, rule_template: byRule, ...order } = wanted.get(id)!;
          const change = changeRecording({
            kind,
            template: byRule,
            ...orderWanted(order, personal),
          });
          if (template === undefined) return change;
          await assertTemplate(services, owner, template);
          return both(change, reprocess({ from: 'summary', template }, { hasLanguageModel }));
        },
      );
      return {
        changed: done.map(({ recording_id, before }) => ({ recording_id, before })),
        refused,
      };
    },
  }),
  route('post', '/recordings/bulk/export', {
    id: 'exportRecordings',
    summary: 'The documents of several recordings, in one zip file',
    body: { json: z.strictObject({ recording_ids: idsUpTo(limits.exportedTogetherMax) }) },
    answers: {
      200: {
        description:
          'The file. Recordings without documents are not in it; what cannot be read is named in `MISSING.txt`.',
        media: ['application/zip'],
      },
    },
    problems: ['not-found'],
    async run({ ctx, body: { recording_ids: ids }, caller }, services) {
      services.projections.assertRunning(recordings.name);
      // All are there before the first byte is sent.
      for (const id of ids) await visibleRecording(services, caller, id, 'read');
      ctx.body = await zipStream(documentsOf(services, caller, ids, languageWanted(ctx)));
      ctx.attachment('mitschrift.zip');
      ctx.type = 'application/zip';
    },
  }),
];

/** One after the other, all or none. */
const both =
  (first: DecideRecording, second: DecideRecording): DecideRecording =>
  (recording, state) => {
    const facts = first(recording, state);
    if (isRefusal(facts)) return facts;
    const others = second(recording, state);
    return isRefusal(others) ? others : [...facts, ...others];
  };

/** Documents are read as they are sent, one recording after the other. */
async function* documentsOf(
  services: RouteServices,
  caller: Caller,
  ids: readonly string[],
  language: Language,
) {
  const missing: string[] = [];
  const named = new Set<string>();
  for (const id of ids) {
    if (!(await isStillIn(services, caller))) throw new Problem('not-authenticated');
    // Erased since: it is left out.
    const seen = await seenRecording(services, caller, id, 'read').catch(() => undefined);
    if (!seen?.row.documents) continue;
    const { row } = seen;
    noteLook(services, caller, seen, 'exported');
    const mtime = new Date(row.startedAt);
    // Two users may have documents of one name.
    const whose = row.owner === caller.userId ? '' : `${row.owner}/`;
    const isTaken = (base: string) => named.has(comparable(whose + documentPaths(base).index));
    for (const { path, bytes } of await readDocuments(services, seen, isTaken)) {
      const entry = whose + path;
      const name = comparable(entry);
      if (bytes === undefined) missing.push(missingLine(row, 'unreadable', language, path));
      else if (!named.has(name)) yield { path: entry, content: bytes, mtime };
      named.add(name);
    }
  }
  if (missing.length > 0)
    yield { path: 'MISSING.txt', content: missing.join(''), mtime: new Date() };
}
