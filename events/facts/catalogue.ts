import * as z from 'zod';
import type { FactOf, FactSchema, FactSchemas, NewFact, StoredFact } from './envelope.ts';
import { type PersonalFact, type PersonalStream, personalFacts } from './personal.ts';
import { type RecordingFact, type RecordingStream, recordingFacts } from './recording.ts';

/** The one stream all users live in: its expected version decides who is first and which name is free. */
export const usersStream = 'users';

const who = { user_id: z.string() };
const group = { group_id: z.string() };
const ofMember = z.object({ ...group, ...who });
/** `claim`: what a sign-on provider calls the group. */
const groupNamed = z.object({ name: z.string(), claim: z.string().optional() });
const link = { sha256: z.string(), expires_at: z.string() };
/** Where the command can be repeated: the answer is the same then. In no projection. */
const givenToken = z.string().optional();

/** The subject of a user's facts: no recording's, whatever its id. */
export const userSubject = (userId: string): string => `user-${userId}`;

/** All subjects that a user's facts may have: in logs of 0.1 a user's id alone is one. */
export const userSubjects = (userId: string): string[] => [userSubject(userId), userId];

/** The subject of a group's facts: its name goes with the key. */
export const groupSubject = (groupId: string): string => `group-${groupId}`;

/** Every fact of the `users` stream. The subject is the user or the group, so the name of what is deleted goes with the key. */
const userFacts = {
  'user.registered': {
    data: z.object({ ...who, is_admin: z.boolean() }),
    /** Without a hash: who logs in at the sign-on provider only. */
    content: z.object({ username: z.string(), password_hash: z.string().optional() }),
  },
  'user.password_changed': {
    /** `session`: in which it was changed, which goes on; all others end. */
    data: z.object({
      ...who,
      reason: z.enum(['changed', 'reset', 'rehashed']),
      session: z.string().optional(),
    }),
    content: z.object({ password_hash: z.string() }),
  },
  /** The present password was chosen by somebody else (`by`): after a login nothing opens until it is changed. */
  'user.password_set': { data: z.object(who) },
  /** A link by which somebody becomes the user of that id; `sha256` is that of its token. */
  'user.invited': {
    data: z.object({ ...who, is_admin: z.boolean(), ...link }),
    content: z.object({ note: z.string(), token: givenToken }),
  },
  'user.invitation_withdrawn': { data: z.object(who) },
  /** A link by which a user chooses a new password; each takes the place of the one before. */
  'user.password_link_made': {
    data: z.object({ ...who, ...link }),
    content: z.object({ token: givenToken }),
  },
  'user.password_link_withdrawn': { data: z.object(who) },
  'user.admin_granted': { data: z.object(who) },
  'user.admin_revoked': { data: z.object(who) },
  /** Cannot log in until enabled again; everything of theirs stays. */
  'user.disabled': { data: z.object(who) },
  'user.enabled': { data: z.object(who) },
  /** The folder of a notes application into which the user's documents are copied; null: none any more. */
  'user.vault_set': { data: z.object(who), content: z.object({ folder: z.string().nullable() }) },
  /** Logging in takes a code besides the password. `secret` is Base32 (RFC 6238), `recovery` the SHA-256 of codes that are good once. */
  'user.totp_enabled': {
    data: z.object(who),
    content: z.object({ secret: z.string(), recovery: z.array(z.string()) }),
  },
  'user.totp_disabled': {
    data: z.object({ ...who, reason: z.enum(['self', 'administrator', 'host']) }),
  },
  'user.recovery_code_used': { data: z.object({ ...who, index: z.number().int().min(0) }) },
  /** Who the user is at a sign-on provider: `issuer` and `subject` say it, `name` only what it calls them. Takes the place of the one before. */
  'user.identity_linked': {
    data: z.object(who),
    content: z.object({ issuer: z.string(), subject: z.string(), name: z.string().optional() }),
  },
  'user.identity_unlinked': { data: z.object(who) },
  'user.deleted': { data: z.object(who) },
  'group.created': { data: z.object(group), content: groupNamed },
  /** Another name or claim: both as they are now. */
  'group.renamed': { data: z.object(group), content: groupNamed },
  'group.member_added': { data: ofMember },
  'group.member_removed': { data: ofMember },
  'group.deleted': { data: z.object(group) },
} satisfies FactSchemas;

export type UserFact = FactOf<typeof userFacts>;

export const configStream = 'config';

/** Every fact of the `config` stream. A secret's value is never here, only its fingerprint. */
const configFacts = {
  'config.key_set': { data: z.object({ key: z.string(), value: z.json() }) },
  'config.secret_set': { data: z.object({ key: z.string(), fingerprint: z.string() }) },
  'config.key_reset': { data: z.object({ key: z.string() }) },
} satisfies FactSchemas;

export type ConfigFact = FactOf<typeof configFacts>;

/** Every fact there is. */
export type Fact = RecordingFact | UserFact | ConfigFact | PersonalFact;
/** A fact to append, and one read back. */
export type OfferedFact = NewFact<Fact>;
export type LoggedFact = StoredFact<Fact>;
export type LoggedRecordingFact = StoredFact<RecordingFact>;
/** What can be known of a fact without a key: all but what a person said. */
export type FactOutline = OutlineOf<LoggedFact>;
type OutlineOf<F> = F extends unknown ? Omit<F, 'content' | 'erased' | 'unreadable'> : never;

/** The facts that a stream holds, by its name. */
export type LoggedFactIn<S extends string> = S extends RecordingStream
  ? LoggedRecordingFact
  : S extends typeof usersStream
    ? StoredFact<UserFact>
    : S extends typeof configStream
      ? StoredFact<ConfigFact>
      : S extends PersonalStream
        ? StoredFact<PersonalFact>
        : LoggedFact;

/** Whether a fact is one of a recording. */
export const isRecordingFact = (fact: LoggedFact): fact is LoggedRecordingFact =>
  Object.hasOwn(recordingFacts, fact.type);

const catalogue: Readonly<Record<string, FactSchema>> = {
  ...recordingFacts,
  ...userFacts,
  ...configFacts,
  ...personalFacts,
};

/** The schema of a type of fact; undefined for a type this release does not know. */
export const schemaOf = (type: string): FactSchema | undefined =>
  Object.hasOwn(catalogue, type) ? catalogue[type] : undefined;

/** All types of facts, for documentation and tests. */
export const factTypes: readonly string[] = Object.keys(catalogue);
