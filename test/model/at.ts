import assert from 'node:assert/strict';
import type { Random } from '../support/seeded.ts';
import type { Answered, Door } from './door.ts';
import type { Talk, World } from './talks.ts';

/** What an operation has: the door, the model, and its own randomness, whose first number of audio is `number`. */
export type At = {
  door: Door;
  world: World;
  random: Random;
  index: number;
  number: number;
  /** How it is told when a history fails. */
  tell(what: string): void;
};

/** One thing that people do: it does it at the door and to the model. False: there is nothing to do it to. */
export type Operation = (at: At) => Promise<boolean>;

export const names = ['Ann', 'Ben', 'Cleo', 'Dora'];

export const some = (random: Random, index: number): string => `${random.below(1000)}op${index}`;

export const done = <T>({ status, body }: Answered<T>): T => {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
};

export const talkOf = (
  { world, random }: At,
  fits: (talk: Talk) => boolean = () => true,
): Talk | null => {
  const found = [...world.talks.values()].filter(fits);
  return found.length === 0 ? null : random.pick(found);
};

export const spoken = ({ seconds }: Talk): number[] =>
  seconds.flatMap(({ said }, at) => (said.length > 0 ? [at] : []));
