import type { z } from 'zod';
import { fieldFault, type fieldFaults } from '../words/field-faults.ts';
import type { Sentence } from '../words/params.ts';
import type { ParamsOf } from '../words/sentences.ts';
import { inEnglish } from '../words/say.ts';

type FaultCode = keyof typeof fieldFaults;

/** What is wrong with a value, where a schema takes a message: `faultOf` reads it again. */
export const wrong = <Code extends FaultCode>(
  code: Code,
  ...params: ParamsOf<(typeof fieldFaults)[Code]>
): string => JSON.stringify(fieldFault(code, ...params));

/**
 * What is wrong with a value as a code with parameters: zod speaks to programmers, and English. A schema's own
 * `wrong` comes first. Handed to `safeParse` as `error`.
 */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return wrong('field-missing');
      return issue.expected in typeNames
        ? wrong('field-type', { type: typeNames[issue.expected as keyof typeof typeNames] })
        : wrong('field-format');
    case 'invalid_value':
      return wrong('field-value', { values: issue.values.map(String) });
    case 'too_small':
      return amount(issue.origin, Number(issue.minimum), 'least');
    case 'too_big':
      return amount(issue.origin, Number(issue.maximum), 'most');
    case 'unrecognized_keys':
      return unknownKeys(issue.keys);
    default:
      return wrong('field-format');
  }
};

/** What an issue says; of a schema read without `inWords`, that the form is not accepted. */
export function faultOf({ message }: Pick<z.core.$ZodIssue, 'message'>): Sentence {
  return message.startsWith('{') ? JSON.parse(message) : fieldFault('field-format');
}

/** What the first issue of a value says in English, for the command line and the log. */
export const firstFault = ({ issues }: z.core.$ZodError): string =>
  issues
    .slice(0, 1)
    .map((issue) => inEnglish(faultOf(issue)))
    .join('');

const typeNames = {
  int: 'whole-number',
  number: 'number',
  string: 'text',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
  record: 'object',
  null: 'null',
} as const;

function amount(origin: string, limit: number, bound: 'least' | 'most'): string {
  if (origin === 'string') return wrong(`field-characters-${bound}`, { count: limit });
  if (origin === 'array' || origin === 'set')
    return wrong(`field-entries-${bound}`, { count: limit });
  if (origin === 'object' || origin === 'record')
    return wrong(`field-fields-${bound}`, { count: limit });
  return wrong(`field-${bound}`, { limit });
}

/** Unknown keys beyond these are only counted; longer ones are cut. */
const keysMax = 10;
const keyCharactersMax = 100;

function unknownKeys(given: readonly string[]): string {
  const cut = (key: string): string =>
    key.length > keyCharactersMax ? `${key.slice(0, keyCharactersMax)}…` : key;
  const keys = given.slice(0, keysMax).map((key) => JSON.stringify(cut(key)));
  const more = given.length - keys.length;
  return wrong('field-unknown', { keys, ...(more > 0 && { more }) });
}
