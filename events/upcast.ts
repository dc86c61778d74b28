import { schemaOf } from './catalogue.ts';
import { EventStoreError } from './store.ts';

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
      throw newer(`facts of type ${current.type}`);
    }
    const next = caster(current);
    version = next.type === current.type ? version + 1 : 1;
    current = next;
  }
  throw new Error(`Upcasting ${shape.type} does not come to an end.`);
}

/**
 * Tells a log of a later release early and without reading content.
 * @throws {EventStoreError} `NEWER_LOG`
 */
export function assertKnown(type: string, schemaVersion: number, casters: Upcasters): void {
  const known = schemaOf(type) !== undefined || Object.hasOwn(casters, type);
  if (!known) throw newer(`facts of type ${type}`);
  if (schemaVersion > schemaVersionOf(type, casters)) {
    throw newer(`version ${schemaVersion} of ${type}`);
  }
}

const stepsMax = 100;

const newer = (what: string): EventStoreError =>
  new EventStoreError(
    'NEWER_LOG',
    `The log was written by a newer release of Mitschrift: it holds ${what}. Start that release.`,
  );
