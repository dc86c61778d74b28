import type { Context } from 'koa';
import * as z from 'zod';
import { kindSchema, type RecordingFact } from '../../../events/recording-facts.ts';
import { NotAccepted } from '../../recordings/not-accepted.ts';
import { NoSpeakers, recordingChanges, renaming, turnEdits } from '../../recordings/amendments.ts';
import { shownBlocks, shownSpeakers } from '../../recordings/transcript-blocks.ts';
import { callerOf } from '../authenticate.ts';
import { carryOutAll, commandOf, refuseWhenStopped, untilReadable } from '../commands.ts';
import { doneBefore } from '../done-before.ts';
import { jsonBody } from '../json-body.ts';
import { languageSchema } from '../language.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { recordingLine } from '../recording-answer.ts';
import type { State } from '../state.ts';
import { untilWritten } from '../until-written.ts';
import { guest, visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from './add-routes.ts';

type Request = Context & { state: State; params: Record<string, string> };

/** What people change of a recording afterwards. Each change is facts; the documents follow. */
export const recordingChangeRoutes: AddRoutes = (router, services) => {
  const { desk } = services;

  /** Offers the facts, waits for the documents, and answers with the recording as it is then. */
  const change = async (ctx: Request, id: string, facts: readonly RecordingFact[]) => {
    if (facts.length > 0) await carryOutAll(services, ctx.state, id, facts);
    const row = await untilWritten(services, id);
    if (!row) throw notFound();
    ctx.body = recordingLine(row, desk.activity(id));
  };
  /** What the recording's documents are made of. @throws {NotAccepted} when there are none */
  const shownOf = async (id: string, type: RecordingFact['type']) => {
    const { shown, state } = await desk.read(id);
    if (!shown) throw new NotAccepted(type, state, []);
    return shown;
  };

  router.patch('/recordings/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const caller = callerOf(ctx.state);
    const row = await visibleRecording(services, caller, id);
    const { owner, ...wanted } = await jsonBody(ctx, recordingSchema);
    if (owner !== undefined && !caller.isAdmin) {
      throw new Problem('not-admin', 'Only an administrator hands a recording over.');
    }
    const ownerId = owner === undefined ? undefined : userId(owner);
    const { latest } = await desk.read(id);
    await change(ctx, id, recordingChanges(latest, row, { ...wanted, owner: ownerId }));
  });

  router.patch('/recordings/:id/utterances/:index', async (ctx) => {
    const id = ctx.params['id']!;
    await visibleRecording(services, callerOf(ctx.state), id);
    const wanted = await jsonBody(ctx, utteranceSchema);
    const shown = await shownOf(id, 'turn.edited');
    const index = ctx.params['index']!;
    const block = /^\d{1,9}$/.test(index) ? shownBlocks(shown)[Number(index)] : undefined;
    if (!block) throw notFound('There is no such utterance.');
    try {
      await change(ctx, id, turnEdits(shown, [{ block: block.id, ...wanted }]));
    } catch (error) {
      if (!(error instanceof NoSpeakers)) throw error;
      throw invalid([{ path: 'speaker', message: error.message }]);
    }
  });

  router.patch('/recordings/:id/speakers', async (ctx) => {
    const id = ctx.params['id']!;
    await visibleRecording(services, callerOf(ctx.state), id);
    const { speakers } = await jsonBody(ctx, namesSchema);
    const shown = await shownOf(id, 'speakers.renamed');
    const labels = shownSpeakers(shown).map(({ label }) => label);
    const unknown = Object.keys(speakers).filter((label) => !labels.includes(label));
    if (unknown.length > 0) {
      const message = `is no label of this recording (${labels.join(', ')})`;
      throw invalid(unknown.map((label) => ({ path: `speakers.${label}`, message })));
    }
    const fact = renaming(shown, speakers);
    await change(ctx, id, fact ? [fact] : []);
  });

  router.get('/recordings/:id/versions', async (ctx) => {
    const id = ctx.params['id']!;
    await visibleRecording(services, callerOf(ctx.state), id);
    ctx.body = { versions: (await desk.versions(id)).toReversed() };
  });

  router.post('/recordings/:id/versions/:version/restore', async (ctx) => {
    const id = ctx.params['id']!;
    await visibleRecording(services, callerOf(ctx.state), id);
    await jsonBody(ctx, z.strictObject({}));
    const expected = { types: ['version.restored'], recordingId: id } as const;
    if (await doneBefore(services, ctx.state, expected)) {
      await change(ctx, id, []);
      return;
    }
    const version = ctx.params['version']!;
    const fact = /^\d{1,9}$/.test(version) ? await desk.restoration(id, Number(version)) : null;
    if (!fact) throw notFound('There is no such version.');
    await change(ctx, id, [fact]);
  });

  router.delete('/recordings/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const caller = callerOf(ctx.state);
    await visibleRecording(services, caller, id);
    refuseWhenStopped(services);
    const circumstances = { by: caller.userId, command: commandOf(ctx.state) };
    await untilReadable(services, await desk.erase(id, circumstances));
    ctx.status = 204;
  });

  /** A user's id, or their name. */
  function userId(wanted: string): string {
    if (wanted === guest) return guest;
    const user = services.accounts
      .listUsers()
      .find(({ userId, username }) => userId === wanted || username === wanted);
    if (user) return user.userId;
    throw invalid([{ path: 'owner', message: 'is no user' }]);
  }
};

const name = z
  .string()
  .max(200)
  .transform((text) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim());

export const recordingSchema = z
  .strictObject({
    title: name.refine((title) => title !== '', 'must not be empty').optional(),
    kind: kindSchema.optional(),
    language: languageSchema.optional(),
    owner: z.string().max(64).optional().describe('a user’s name or id; by an administrator'),
  })
  .describe('What is left out stays as it is.');

export const utteranceSchema = z.strictObject({
  text: z
    .string()
    .max(100_000)
    .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
    .optional(),
  speaker: name
    .refine((speaker) => speaker !== '', 'must not be empty')
    .optional()
    .describe('a label or name of the recording, or the name of somebody new'),
});

export const namesSchema = z.strictObject({
  speakers: z.record(z.string().max(64), name),
});
