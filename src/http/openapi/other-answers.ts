import { limits } from '../limits.ts';
import { modelPhase } from './model-answers.ts';
import * as z from 'zod';
import { type SettingKey, settingKeys, settingOf } from '../../config/schema.ts';
import { mask, partsOf } from '../../config/changes.ts';
import { settingGroup } from '../../config/settings-page.ts';
import { tried } from '../../doctor/try-servers.ts';
import { stages } from '../../../events/facts/recording.ts';
import * as activities from './activity-answers.ts';
import { sharedFrame } from './shared-answers.ts';
import * as recordings from './recording-answers.ts';

/** What an answer has of a sentence for programs. */
const coded = {
  code: z
    .string()
    .optional()
    .describe(
      'what the sentence says, for programs: may be refined, so treat unknown ones as none',
    ),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('what varies in the sentence: sizes in bytes, times in seconds or RFC 3339'),
};

export const problem = z
  .looseObject({
    type: z
      .string()
      .regex(/^\/problems\/[a-z-]+$/)
      .describe('stable, for programs'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('for a person, in the language of `Content-Language`'),
    ...coded,
    errors: z
      .array(z.object({ path: z.string(), message: z.string(), ...coded }))
      .optional()
      .describe('which fields are wrong, and how'),
    request_id: z.string().optional().describe('the id of the request in the server’s log'),
  })
  .describe('RFC 9457 problem details');

export const health = z.object({
  status: z.enum(['starting', 'ok', 'damaged', 'recovering']),
  version: z.string(),
  fraction: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe('how far a start is; null: unknown'),
});

export const user = z.object({
  user_id: z.string(),
  username: z.string(),
  is_admin: z.boolean(),
  disabled: z.boolean().describe('cannot log in'),
  totp: z.boolean().describe('whether two-step login is on'),
  password: z.boolean().describe('whether there is a password here'),
  single_sign_on: z.boolean().describe('whether the sign-on provider lets them in'),
  built_in: z.boolean(),
});

export const listedUser = user.extend({
  created_at: activities.time.nullable().describe('null: built in'),
  last_seen_at: activities.time
    .nullable()
    .describe('to five minutes; null: not logged in anywhere'),
  recordings: z.number().int().describe('how many they have'),
  bytes: z.number().int().describe('what their documents, recordings and uploads take'),
  vault: z.string().nullable().describe('folder of the server into which their notes are copied'),
});

export const leftByUser = listedUser
  .pick({ user_id: true, recordings: true, bytes: true })
  .describe(
    'what a deleted user left: `PATCH /recordings/{id}` with `owner` hands a recording over',
  );

export const listedSession = z.object({
  id: z.string().describe('no token: nobody logs in with it'),
  created_at: activities.time,
  last_seen_at: activities.time.describe('to five minutes'),
  expires_at: activities.time.describe('slides with use, to at most 90 days after the login'),
  agent: z.string().nullable().describe('what the program that logged in calls itself'),
  current: z.boolean().describe('the session that asks'),
});

export const trial = z.object({
  ok: z.boolean(),
  detail: z.string().describe('for a person'),
  code: z.string().optional().describe('of what came of one trial, for programs'),
  params: z.record(z.string(), z.unknown()).optional(),
  models: z.array(z.string()).optional(),
  stt: z.unknown().optional().describe('where several were tried: speech to text alone'),
  llm: z.unknown().optional().describe('where several were tried: the language model alone'),
  embeddings: z
    .unknown()
    .optional()
    .describe('where several were tried: the embedding server alone'),
  redirect_uri: z
    .string()
    .optional()
    .describe('of `oidc`: what to register at the provider, for the address that asks'),
  parts: z.array(tried).optional().describe('of `oidc`: what was looked at, one by one'),
});

/** The whole configuration as it is read. */
export const config = settingsObject((key) => {
  const { schema, secret, hint } = settingOf(key);
  return (secret ? z.literal(mask).nullable() : schema).describe(hint.en);
});

/** The part of it that is to change. */
export const configPatch = settingsObject((key) => {
  const { schema, hint } = settingOf(key);
  return schema.nullable().optional().describe(`${hint.en} \`null\`: back to the default.`);
}, true);

export const configAnswer = z.object({
  config,
  overridden: z.array(z.string()).describe('keys that only the environment can change'),
});

export const settingsPage = z.object({
  command_line: z
    .string()
    .describe('what a shell on the host begins commands of Mitschrift with, in any folder'),
  groups: z.array(settingGroup),
});

const chartTransition = z.object({
  event: z.string().nullable(),
  target: z.string().nullable(),
  guard: z.string().nullable(),
  condition: z.string().nullable().describe('the guard in words'),
});

const chartState = z.object({
  path: z.string(),
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  initial: z.string().nullable(),
  invokes: z.string().nullable().describe('the stage that runs in it; of several the first'),
  activities: z.array(z.string()).describe('all stages that run in it'),
  transitions: z.array(chartTransition),
  states: z.record(z.string(), z.unknown()).describe('the states below, each as this one'),
});

const place = z.object({ x: z.number(), y: z.number() });

const chartLayout = z
  .object({
    width: z.number(),
    height: z.number(),
    states: z.record(
      z.string(),
      place
        .extend({ width: z.number(), height: z.number() })
        .describe('within the state around it'),
    ),
    edges: z.array(
      z.object({
        source: z.string(),
        target: z.string(),
        events: z.array(z.string()).describe('of all transitions that go this way'),
        points: z.array(place),
        label: place.extend({ text: z.string() }).nullable(),
      }),
    ),
  })
  .describe('where the states lie in a picture, in pixels');

export const chart = z.object({
  id: z.string(),
  version: z.number().int(),
  layout: chartLayout,
  ...chartState.shape,
});

export const callQuestion = z.object({
  id: z.string().describe('for the answer'),
  ask: z.enum(['record', 'stop']),
  program: z.string().describe('as it calls itself'),
  recording_id: z.string().nullable().describe('what would be stopped'),
});

const position = z.number().int().describe('place in the log; resume behind it with `after`');
const recording_id = z.string();

/** What the service sends on a WebSocket, a JSON object a frame. */
export const serverFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), ...recordings.statusSchema.shape }),
  z.object({
    type: z.literal('transition'),
    recording_id,
    event: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    at: z.string(),
    position,
  }),
  z.object({
    type: z.literal('utterance'),
    recording_id,
    index: z.number().int(),
    start: z.number(),
    end: z.number(),
    text: z.string(),
    language: z.string().optional().describe('in which it was recognised; absent: not known'),
    speaker: z.string().nullable(),
    final: z
      .boolean()
      .describe(
        'false: a guess, without a position, of a server that streams; one that comes late is to be left',
      ),
    position: position.optional(),
  }),
  z.object({
    type: z.literal('saved'),
    recording_id,
    paths: recordings.documentPathsSchema,
    version: z.number().int(),
    position,
  }),
  z.object({
    type: z.literal('sidenote'),
    recording_id,
    change: z.enum(['written', 'edited', 'removed']),
    note: z.number().int(),
    at: z.number().optional().describe('of one that was written, as `block` and `mark`'),
    block: z.string().nullable().optional(),
    mark: z.boolean().optional(),
    text: z.string().optional(),
    by: z.string(),
    position,
  }),
  z.object({
    type: z
      .literal('access')
      .describe('what others share with the caller may have changed: look again at what is shown'),
  }),
  z.object({
    type: z.literal('position'),
    position,
    skipped: z
      .literal(true)
      .optional()
      .describe(
        `more than ${limits.catchUpFactsMax} facts came after \`after\`, or the log ends before it, as after a restored backup: ` +
          'none was sent, read again what is shown',
      ),
  }),
  sharedFrame,
  z.object({
    type: z.literal('progress'),
    recording_id,
    stage: z.enum(stages),
    fraction: z.number().nullable(),
    seconds_left: activities.secondsLeft,
    attempt: z.number().int(),
    waiting: activities.waiting.nullable(),
    behind: activities.behind.optional(),
  }),
  z.object({
    type: z.literal('level'),
    recording_id: recording_id.optional(),
    device: z
      .string()
      .nullable()
      .optional()
      .describe('as `level.start` named it: what is heard of it'),
    rms: z.number(),
    peak: z.number(),
  }),
  z
    .object({ type: z.literal('call'), question: callQuestion.nullable() })
    .describe('what is asked about a call, to connections from the server’s own computer'),
  z.object({ type: z.literal('level.ended'), device: z.string().nullable() }),
  z.object({
    type: z.literal('model'),
    id: z.string(),
    phase: modelPhase
      .nullable()
      .describe('null: it is no longer on its way; `GET /models` says how it ended'),
    fraction: z.number().nullable(),
  }),
  z.looseObject({
    type: z.literal('warning'),
    code: z.string().describe('stable, for programs'),
    detail: z.string().describe('for a person'),
    reason: coded.code,
    params: coded.params,
  }),
  z.object({
    type: z.literal('audio.ready'),
    recording_id,
    samples: z.number().int(),
    ended: z
      .literal(true)
      .optional()
      .describe('it has ended, whoever ended it: what comes is added, and no pause of it is over'),
    stopped: z
      .literal(true)
      .optional()
      .describe('a person has ended it: what was recorded until now is added, then `audio.stop`'),
  }),
  z.object({
    type: z.literal('audio.ack'),
    samples: z.number().int().describe('samples of the recording on the server’s disk'),
  }),
  z.object({
    type: z.literal('audio.interrupted'),
    recording_id,
    samples: z.number().int().describe('the interruption that began there need not be said again'),
  }),
  z.object({
    type: z.literal('audio.ended'),
    recording_id,
    samples: z.number().int(),
    reason: z.string().describe('`stopped`, or why nothing more is taken from this connection'),
  }),
]);

/** Settings by section, as their keys' dots say. */
function settingsObject(of: (key: SettingKey) => z.ZodType, partial = false): z.ZodObject {
  const sections: Record<string, Record<string, z.ZodType>> = {};
  for (const key of settingKeys) {
    const [section, name] = partsOf(key);
    (sections[section] ??= {})[name] = of(key);
  }
  return z.object(
    Object.fromEntries(
      Object.entries(sections).map(([name, shape]) => {
        const section = partial ? z.strictObject(shape) : z.object(shape);
        return [name, partial ? section.optional() : section];
      }),
    ),
  );
}
