import * as z from 'zod';
import { schemaOf, type OfferedFact } from './catalogue.ts';
import type { Circumstances } from './envelope.ts';
import { EventStoreError } from './store.ts';

/** A fact that has been looked at: what its schema names of it, and nothing else. */
export type CheckedFact = {
  type: string;
  circumstances: Circumstances;
  data: unknown;
  content: unknown;
};

/** Facts in one append; more belong into several. */
export const appendFactsMax = 1_000;
/** Names of streams and subjects are used as keys and file names. */
export const nameMax = 128;

/**
 * Checks facts before they are stored. Keys that a schema does not name are left out, since no
 * reader could see them.
 * @throws {EventStoreError} `INVALID_FACT`, saying which fact and why, without quoting its values.
 */
export function checkFacts(
  stream: string,
  facts: readonly OfferedFact[],
  expectedVersion: number,
): CheckedFact[] {
  if (!isName(stream)) throw invalid(`"${stream}" is not a name for a stream`);
  if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0) {
    throw invalid(`${String(expectedVersion)} is not a version to expect`);
  }
  if (facts.length === 0) throw invalid('there is no fact to append');
  if (facts.length > appendFactsMax) {
    throw invalid(`${facts.length} facts in one append are more than ${appendFactsMax}`);
  }
  return facts.map((fact) => checkFact(fact));
}

/** Whether a text can name a stream or a subject. */
export const isName = (text: string): boolean =>
  text.length <= nameMax && /^[A-Za-z0-9_-]+$/.test(text);

const name = z.string().min(1).max(nameMax);
const count = z.number().int().positive();
const circumstancesSchema = z.object({
  by: name,
  command: z.string().min(1).max(256),
  run: count.optional(),
  attempt: count.optional(),
  from: z.string().max(1_024).optional(),
  to: z.string().max(1_024).optional(),
  machine: count.optional(),
  subject: z.string().refine(isName, 'must be of letters, digits, _ and -').optional(),
  at: z.iso.datetime().optional(),
});

function checkFact(fact: OfferedFact): CheckedFact {
  const schema = schemaOf(fact.type);
  if (!schema) throw invalid(`${fact.type} is no type of fact this release knows`);
  const circumstances = parse(fact.type, circumstancesSchema, fact) as Circumstances;
  const data = parse(fact.type, schema.data, fact.data, 'data');
  if (fact.content === undefined)
    return { type: fact.type, circumstances, data, content: undefined };
  if (!schema.content) throw invalid(`${fact.type} has no content`);
  if (!circumstances.subject) throw invalid(`${fact.type} has content, so it needs a subject`);
  const content = parse(fact.type, schema.content, fact.content, 'content');
  return { type: fact.type, circumstances, data, content };
}

/** Zod's issues name paths and expectations, never values: those may be secrets or somebody's words. */
function parse(type: string, schema: z.ZodType, value: unknown, part?: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 5).map((issue) => {
    const path = [...(part ? [part] : []), ...issue.path.map(String)].join('.');
    return `${path}: ${issue.message}`;
  });
  throw invalid(`${type} does not hold to its schema: ${issues.join('; ')}`);
}

const invalid = (message: string): EventStoreError => new EventStoreError('INVALID_FACT', message);
