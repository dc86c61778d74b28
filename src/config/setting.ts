import { isIP } from 'node:net';
import { wrong } from '../shared/in-words.ts';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { keysOf } from '../shared/keys-of.ts';
import { requestedLanguage } from '../shared/languages.ts';
import type { Language } from '../words/params.ts';
import { serverUrl } from '../servers/server.ts';

/** A text in the languages of the pages. */
export type InLanguages = Readonly<Record<Language, string>>;

/** A text that is the same in both, as names are. */
export const same = (text: string): InLanguages => ({ en: text, de: text });

type Words = {
  readonly title: InLanguages;
  /** One sentence about the setting. */
  readonly hint: InLanguages;
  /** Said of a fallback that differs from host to host. */
  readonly fallbackText?: InLanguages;
};

/** One setting: what it may be, its default, and its words. */
export type Setting<S extends z.ZodType = z.ZodType> = Words & {
  /** Of the value as JSON. */
  readonly schema: S;
  readonly fallback: z.output<S>;
  /** The labels of the values, where there are only these. */
  readonly choices?: Readonly<Record<string, InLanguages>>;
  /** Kept in a separate store and never read back. */
  readonly secret: boolean;
  /** Its value from an environment variable; what cannot be read is left for the schema to refuse. */
  readonly fromText: (text: string) => unknown;
  /** What a value of an earlier release means, where the setting was a yes or no then; others stay as they are. */
  readonly former?: (value: unknown) => unknown;
};

type More = Words & Pick<Partial<Setting>, 'secret' | 'former'>;

export function text<S extends z.ZodType>(
  schema: S,
  fallback: z.output<S>,
  more: More,
): Setting<S> {
  const { former = (value) => value } = more;
  const fromText = (given: string) => {
    const meant = former(words.get(given.toLowerCase()));
    return meant === undefined ? given : meant;
  };
  return {
    schema,
    fallback,
    secret: false,
    ...more,
    fromText: more.former ? fromText : (given) => given,
  };
}

/** One of a few values, each with its label. */
export const choice = <K extends string>(
  fallback: NoInfer<K>,
  { choices, ...more }: More & { readonly choices: Readonly<Record<K, InLanguages>> },
) => ({ ...text(z.enum(keysOf(choices)), fallback, more), choices });

export function number<S extends z.ZodType>(
  schema: S,
  fallback: z.output<S>,
  words: Words,
): Setting<S> {
  // Not `Number` alone: it takes '' and '0x10' for numbers.
  const fromText = (given: string) => (/^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given);
  return { schema, fallback, ...words, secret: false, fromText };
}

export function yesOrNo(fallback: boolean, more: Words): Setting<z.ZodBoolean> {
  const fromText = (given: string) => words.get(given.toLowerCase()) ?? given;
  return { schema: z.boolean(), fallback, ...more, secret: false, fromText };
}

/** What a setting that was a yes or no means as a choice. */
export const formerly =
  (yes: unknown, no: unknown) =>
  (value: unknown): unknown =>
    value === true ? yes : value === false ? no : value;

/** A list; in the environment separated by commas. @param whole what the list has to be as a whole */
export function list<S extends z.ZodType<string>>(
  entry: S,
  words: Words,
  whole: (given: z.ZodArray<S>) => z.ZodArray<S> = (given) => given,
): Setting<z.ZodArray<S>> {
  const schema = whole(z.array(entry).max(100));
  const fromText = (given: string) =>
    given
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  return { schema, fallback: [], ...words, secret: false, fromText };
}

/** A line of text: no control characters, at most 500 characters. */
export const line = z
  .string()
  .min(1, wrong('field-empty'))
  .max(500)
  // oxlint-disable-next-line no-control-regex -- which is what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/, wrong('control-characters'));

/** Terms with commas between, on one line or several. */
export const terms = z
  .string()
  .min(1, wrong('field-empty'))
  .max(20_000)
  // oxlint-disable-next-line no-control-regex -- which is what is refused
  .regex(/^[^\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]*$/, wrong('control-characters'));

/** A language's code, out of a BCP 47 tag too; `auto`: find out. */
export const language = z
  .string()
  .max(64)
  .refine((tag) => requestedLanguage(tag) !== undefined, wrong('not-a-language'))
  .overwrite((tag) => requestedLanguage(tag) ?? 'auto');

/** What can be sent in a header. */
export const key = z
  .string()
  .min(1, wrong('field-empty'))
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, wrong('not-ascii'));

/** A secret that strangers may try to guess. */
export const longKey = key.min(16);

export const whole = (min: number, max: number) => z.number().int().min(min).max(max);

export const folder = z
  .string()
  .max(4000)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), wrong('not-absolute-path'));

/** An address that is downloaded from, or a folder of this host. */
export const mirror = z.union([serverUrl, folder], {
  error: wrong('not-http-or-path'),
});

export const hostName = z
  .string()
  .max(300)
  .regex(
    /^(?:\[[0-9a-f:.]+\]|[0-9a-f]*:[0-9a-f:.]+|[\w-]+(?:\.[\w-]+)*)(?::\d{1,5})?$/i,
    wrong('not-a-host'),
  );

/** An IP address or a range of them (`10.0.0.0/8`). */
export const network = z
  .string()
  .max(60)
  .refine((value) => isNetwork(value), wrong('not-a-network'))
  .refine((value) => !isHuge(value), wrong('network-too-large'));

const words = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false],
]);

/** Ranges too wide to be one network: shorter than /8, or /16 of IPv6 addresses. */
const isHuge = (value: string): boolean => shareOf(value) > 1;

/** How much of the widest range that is taken: of a /8 or, among IPv6 addresses, of a /16. */
function shareOf(value: string): number {
  const [address = '', bits] = value.split('/');
  if (isIP(address) === 4) return 2 ** (8 - Number(bits ?? 32));
  // IPv4 addresses in IPv6.
  const widest = /^::(?:ffff:)?(?:0:0|\d+\.)/i.test(address) ? 104 : 16;
  return 2 ** (widest - Number(bits ?? 128));
}

/** Together at most four such ranges: 1/64 of all IPv4 addresses. */
export const notMuchOfTheInternet = <S extends z.ZodType<string>>(
  networks: z.ZodArray<S>,
): z.ZodArray<S> =>
  networks.refine(
    (values) => values.reduce((sum, value) => sum + shareOf(value), 0) <= 4,
    wrong('networks-too-large'),
  );

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || address.includes('%')) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
