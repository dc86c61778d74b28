import * as z from 'zod';
import { wrong } from '../../shared/in-words.ts';
import {
  type Confirmation,
  type Person,
  confirmationsMax,
  isSameName,
  people,
  peopleNamed,
} from '../../../projections/people.ts';
import {
  type DecideRecording,
  renameVoices,
  revokeVoices,
} from '../../../projections/recording/decide.ts';
import { milliseconds } from '../../shared/time.ts';
import { carryOut, upToDate } from '../written.ts';
import { nameSchema } from '../body.ts';
import { notFound } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import { ownerIn, ownerSchema } from '../of-guest.ts';
import { toChange } from '../middleware/ready.ts';
import { routesOf } from '../route.ts';

const profileSchema = z.strictObject({
  name: nameSchema.refine((name) => name !== '', wrong('field-empty')),
});

const confirmation = z.object({
  n: z.number().int().describe('position of its fact in the log'),
  recording_id: z.string(),
  at: z.string().describe('RFC 3339, UTC'),
  labels: z.array(z.string()).describe('in that recording'),
  embedding_model: z.string(),
  seconds: z.number().describe('of speech the embedding was made of'),
  counts: z
    .boolean()
    .describe(`the ${confirmationsMax} newest of the profile’s model do; others are kept`),
  sample: z
    .object({ start: z.number(), end: z.number() })
    .nullable()
    .describe('a sentence of this voice, to be played from `GET /recordings/{id}/audio`'),
});

const count = z.number().int();
const measuring = z
  .object({
    embedding_model: z.string().nullable().describe('installed here; null: none is'),
    waiting: count.describe('recordings with voices that wait'),
    without_audio: count.describe(
      'of these, recordings whose audio is not kept: their voices stay as they are',
    ),
    given_up: count.describe('of these, recordings that failed three times, until the next start'),
    now: z.object({ recording_id: z.string(), fraction: z.number().describe('0 to 1') }).nullable(),
  })
  .describe(
    'Voices that are measured again from the kept audio: those that another model made, and those of labels to or ' +
      'from which speech was moved',
  );

const profile = z.object({
  id: z.string().describe('of its oldest confirmation: stays while that counts'),
  name: z.string(),
  embedding_model: z.string().describe('voices of other models are not compared with it'),
  dimension: z.number().int(),
  seconds: z.number(),
  confirmations: z.array(confirmation).describe('newest first'),
});

const owned = { query: ownerSchema, problems: ['not-found', 'not-accepted'] } as const;
const route = routesOf({ tag: 'Speakers', needs: [people.name] });
const changing = routesOf({ tag: 'Speakers', needs: [people.name, ...toChange] });

/** The voices a user named, and what each rests on. Nobody else's are there. */
export const profileRoutes = [
  route('get', '/people', {
    ...owned,
    id: 'listPeople',
    summary: 'Names the caller confirmed, those named last first',
    answers: {
      200: { description: 'The names.', json: z.object({ people: z.array(z.string()) }) },
    },
    problems: ['not-found'],
    async run({ query, caller }, services) {
      await upToDate(services, people.name);
      const named = await peopleNamed(services.storage, ownerIn(query, caller));
      return { people: named.map(({ name }) => name) };
    },
  }),
  route('get', '/speakers/profiles', {
    ...owned,
    id: 'listProfiles',
    summary: 'The caller’s voice profiles, each with the confirmations it rests on',
    description:
      'Two people of one name have two profiles. ' +
      'With `speakers.profiles` off nothing is added or suggested; what there is can be deleted.',
    answers: {
      200: {
        description: 'The profiles.',
        json: z.object({
          enabled: z.boolean().describe('`speakers.profiles`'),
          profiles: z.array(profile),
          measuring,
        }),
      },
    },
    problems: ['not-found'],
    async run({ query, caller }, services) {
      const owner = ownerIn(query, caller);
      const people = await profilesOf(services, owner);
      const measuring = await services.voices.state(owner);
      // A model may have been installed since.
      services.voices.look();
      return {
        enabled: services.settings()['speakers.profiles'],
        profiles: people
          .filter(({ confirmations }) => confirmations.some(isHeard))
          .map((one) => profileAnswer(one, measuring.embedding_model)),
        measuring,
      };
    },
  }),
  changing('delete', '/speakers/profiles', {
    ...owned,
    id: 'deleteProfiles',
    summary: 'Takes all of the caller’s confirmations back',
    answers: { 204: { description: 'No voice is known any more.' } },
    problems: ['not-found'],
    command: true,
    async run({ ctx, query, caller }, services) {
      const profiles = await profilesOf(services, ownerIn(query, caller));
      const all = profiles.flatMap(({ confirmations }) => confirmations);
      await inEach(services, ctx.state, all, revokeVoices);
    },
  }),
  changing('patch', '/speakers/profiles/{profile}', {
    ...owned,
    id: 'renameProfile',
    summary: 'Calls a voice by another name from now on',
    description:
      'Recordings keep the names they have. With the name of another profile both become one, unless they sound ' +
      'like different people.',
    body: { json: profileSchema },
    answers: { 200: { description: 'The profile.', json: profile } },
    command: true,
    async run({ ctx, params, query, body: { name }, caller }, services) {
      const owner = ownerIn(query, caller);
      const { confirmations } = await profileIn(services, owner, params.profile);
      await inEach(services, ctx.state, confirmations, (one) => renameVoices(one, name));
      const renamed = (await profilesOf(services, owner)).find(
        (one) =>
          isSameName(one.name, name) &&
          one.confirmations.some(({ n }) => confirmations.some((before) => before.n === n)),
      );
      if (!renamed) throw notFound();
      const { embedding_model: present } = await services.voices.state(owner);
      return profileAnswer(renamed, present);
    },
  }),
  changing('delete', '/speakers/profiles/{profile}', {
    ...owned,
    id: 'deleteProfile',
    summary: 'Takes all confirmations of a profile back',
    answers: { 204: { description: 'This voice is not known any more.' } },
    command: true,
    async run({ ctx, params, query, caller }, services) {
      const profile = await profileIn(services, ownerIn(query, caller), params.profile);
      await inEach(services, ctx.state, profile.confirmations, revokeVoices);
    },
  }),
  changing('delete', '/speakers/profiles/{profile}/confirmations/{n}', {
    ...owned,
    id: 'revokeConfirmation',
    summary: 'Takes one confirmation back completely',
    description:
      'The recording keeps its names; the profile is as if it had never been confirmed there.',
    answers: { 204: { description: 'It does not count any more.' } },
    command: true,
    async run({ ctx, params, query, caller }, services) {
      const profile = await profileIn(services, ownerIn(query, caller), params.profile);
      const some = profile.confirmations.filter(({ n }) => String(n) === params.n);
      if (some.length === 0) throw notFound();
      await inEach(services, ctx.state, some, revokeVoices);
    },
  }),
];

async function profilesOf(services: HttpServices, owner: string): Promise<Person[]> {
  await upToDate(services, people.name);
  return await peopleNamed(services.storage, owner, { voices: true, all: true });
}

async function profileIn(services: HttpServices, owner: string, id: string): Promise<Person> {
  const profile = (await profilesOf(services, owner)).find((one) => profileId(one) === id);
  if (!profile) throw notFound();
  return profile;
}

/** Has each recording of these say something else of its voices. What was done before an error is done. */
async function inEach(
  services: HttpServices,
  state: State,
  confirmations: readonly Confirmation[],
  decision: (confirmation: Confirmation) => DecideRecording,
): Promise<void> {
  for (const one of confirmations) {
    await carryOut(services, state, one.recordingId, decision(one));
  }
  await upToDate(services, people.name);
}

/** By its oldest confirmation: a hash of the name would let it be guessed when the name is erased. */
function profileId({ confirmations }: Person): string {
  const { n, labels } = confirmations.at(-1)!;
  return `${n}-${labels[0]}`;
}

/** Which confirmations count: the newest of the model there is; of the one that made the last, where it made none. */
function profileAnswer(person: Person, present: string | null) {
  const { name } = person;
  const confirmations = person.confirmations.filter(isHeard);
  const model = modelOf(confirmations.find((one) => modelOf(one) === present) ?? confirmations[0]!);
  const counting = confirmations.filter((one) => modelOf(one) === model).slice(0, confirmationsMax);
  return {
    id: profileId(person),
    name,
    embedding_model: model,
    dimension: counting[0]!.voices[0].embedding.length,
    seconds: counting.reduce((sum, one) => sum + secondsOf(one), 0),
    confirmations: confirmations.map((one) => ({
      n: one.n,
      recording_id: one.recordingId,
      at: one.at,
      labels: one.labels,
      embedding_model: modelOf(one),
      seconds: secondsOf(one),
      counts: counting.includes(one),
      sample: sampleOf(one),
    })),
  };
}

/** Of one that is still to be measured nothing is known; it can be taken back all the same. */
const isHeard = (one: Confirmation): one is Heard => one.voices.length > 0;
type Heard = Confirmation & { voices: [Voice, ...Voice[]] };
type Voice = Confirmation['voices'][number];

const modelOf = ({ voices: [voice] }: Heard): string => voice.embedding_model;
/** What can be played of it. */
function sampleOf({ voices }: Confirmation): { start: number; end: number } | null {
  const [sample] = voices.flatMap((voice) => (voice.sample ? [voice.sample] : []));
  return sample ? { start: sample[0], end: sample[1] } : null;
}
const secondsOf = ({ voices }: Confirmation): number =>
  milliseconds(voices.reduce((sum, { seconds }) => sum + seconds, 0));
