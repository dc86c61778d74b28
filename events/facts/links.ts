import * as z from 'zod';
import type { FactSchemas } from './envelope.ts';

/** Links of one recording. */
export const linksMax = 50;

const created = {
  /** ULID. */
  link: z.string(),
  /** Of its token, in hexadecimal. */
  sha256: z.string(),
  /** RFC 3339 UTC; null: it does not end by itself. */
  expires_at: z.string().nullable(),
  audio: z.boolean(),
  /** Whether it opens what is said while it is recorded. */
  live: z.boolean(),
  /** Whether it has a password, also where its hash cannot be read any more. */
  password: z.boolean(),
};

/** Links by which strangers read a recording. Whoever it is handed over to has none. */
export const linkFacts = {
  'link.created': {
    data: z.object(created),
    content: z.object({
      name: z.string(),
      password_hash: z.string().optional(),
      /** Where the command can be repeated: the answer is the same then. In no projection. */
      token: z.string().optional(),
    }),
  },
  'link.revoked': { data: z.object({ link: z.string() }) },
} satisfies FactSchemas;

/** What a link opens, and until when; nothing of it has words. */
export type LinkTerms = {
  readonly link: string;
  readonly sha256: string;
  readonly expiresAt: string | null;
  readonly audio: boolean;
  readonly live: boolean;
  readonly password: boolean;
};

/** The links after one was made. */
export const withLink = <T extends LinkTerms>(links: readonly T[], link: T): T[] => [
  ...links.filter((one) => one.link !== link.link),
  link,
];

export const withoutLink = <T extends LinkTerms>(links: readonly T[], link: string): readonly T[] =>
  links.some((one) => one.link === link) ? links.filter((one) => one.link !== link) : links;

/** What the fact says of it. */
export const termsOf = ({
  link,
  sha256,
  expires_at: expiresAt,
  audio,
  live,
  password,
}: z.infer<z.ZodObject<typeof created>>): LinkTerms => ({
  link,
  sha256,
  expiresAt,
  audio,
  live,
  password,
});

/** Whether its time has come. @param now milliseconds since the epoch */
export const isOver = ({ expiresAt }: Pick<LinkTerms, 'expiresAt'>, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;
