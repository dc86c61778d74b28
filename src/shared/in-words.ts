import type { z } from 'zod';

/**
 * What is wrong with a value, for people: what zod says by itself is for programmers. A schema's own words
 * come first. Handed to `safeParse` as `error`.
 */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'too_small':
      return `must ${amount(issue.origin, Number(issue.minimum), 'at least')}`;
    case 'too_big':
      return `must ${amount(issue.origin, Number(issue.maximum), 'at most')}`;
    case 'invalid_union':
      return 'has none of the forms that are taken here';
    case 'invalid_format':
      return 'is not of the form that is taken here';
    default:
      return undefined;
  }
};

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const oneOf = (values: readonly string[]): string =>
  values.length === 1 ? values[0]! : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

function amount(origin: string, limit: number, how: string): string {
  const many = (one: string, more: string) => `have ${how} ${limit} ${limit === 1 ? one : more}`;
  if (origin === 'string') return many('character', 'characters');
  if (origin === 'array' || origin === 'set') return many('entry', 'entries');
  if (origin === 'object' || origin === 'record') return many('field', 'fields');
  return `be ${how} ${limit}`;
}
