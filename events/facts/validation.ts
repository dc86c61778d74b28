import * as z from 'zod';
import { type OfferedFact, schemaOf } from './catalogue.ts';
import type { Metadata } from './envelope.ts';
import { EventStoreError } from '../store.ts';
import { dataFailure } from '../../src/words/data-failures.ts';

/** A fact that has been looked at: what its schema names of it, and nothing else. */
export type CheckedFact = {
  type: string;
  metadata: Metadata;
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
const metadataSchema = z.object({
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

const invalid = (message: string): EventStoreError => new EventStoreError('INVALID_FACT', message);

/** A fact's own part, as some release wrote it. */
export type Shape = { type: string; data: unknown; content?: unknown };

/**
 * How facts of old shapes become today's. `upcasters[type][n]` takes a fact that was written with
 * version `n` of its type's schema to version `n + 1`, or to another type (then to version 1 of
 * that). Versions count from 1; records name theirs when it is not 1. An upcaster is pure, never
 * changed after its release, and leaves `content` absent when it is (its key is gone).
 */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, (old: Shape) => Shape>>>>;

/** The upcasters of this release: none, since no shape has changed yet. */
export const upcasters: Upcasters = {};

/** The version of a type's schema that this release writes. */
export const schemaVersionOf = (type: string, casters: Upcasters): number =>
  casters[type] === undefined ? 1 : 1 + Math.max(0, ...Object.keys(casters[type]).map(Number));

/**
 * Brings a fact to today's shape.
 * @throws {EventStoreError} `NEWER_LOG` for a type or a version of its schema that a later release wrote
 */
export function upcast(shape: Shape, schemaVersion: number, casters: Upcasters): Shape {
  assertKnown(shape.type, schemaVersion, casters);
  let current = shape;
  let version = schemaVersion;
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const caster = casters[current.type]?.[version];
    if (!caster) {
      if (schemaOf(current.type)) return current;
      throw newer({ type: current.type });
    }
    const next = caster(current);
    version = next.type === current.type ? version + 1 : 1;
    current = next;
  }
  throw new Error(`Upcasting ${shape.type} does not come to an end.`);
}

/**
 * Recognises a log of a later release early and without reading content.
 * @throws {EventStoreError} `NEWER_LOG`
 */
export function assertKnown(type: string, schemaVersion: number, casters: Upcasters): void {
  const known = schemaOf(type) !== undefined || Object.hasOwn(casters, type);
  if (!known) throw newer({ type });
  if (schemaVersion > schemaVersionOf(type, casters)) {
    throw newer({ type, version: schemaVersion });
  }
}

const stepsMax = 100;

const newer = (event: { type: string; version?: number }): EventStoreError =>
  new EventStoreError('NEWER_LOG', dataFailure('events-newer', event));

function checkFact(fact: OfferedFact): CheckedFact {
  const schema = schemaOf(fact.type);
  if (!schema) throw invalid(`${fact.type} is not a type of fact that this release knows`);
  const metadata = parse(fact.type, metadataSchema, fact) as Metadata;
  const data = parse(fact.type, schema.data, fact.data, 'data');
  if (fact.content === undefined) return { type: fact.type, metadata, data, content: undefined };
  if (!schema.content) throw invalid(`${fact.type} has no content`);
  if (!metadata.subject) throw invalid(`${fact.type} has content, so it needs a subject`);
  const content = parse(fact.type, schema.content, fact.content, 'content');
  return { type: fact.type, metadata, data, content };
}

/** Zod's issues name paths and expectations, never values: those may be secrets or what people said. */
function parse(type: string, schema: z.ZodType, value: unknown, part?: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 5).map((issue) => {
    const path = [...(part ? [part] : []), ...issue.path.map(String)].join('.');
    return `${path}: ${issue.message}`;
  });
  throw invalid(`${type} does not hold to its schema: ${issues.join('; ')}`);
}
