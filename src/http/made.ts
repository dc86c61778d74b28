import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';
import { isRefusal } from '../../events/command-handler.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import { type PersonalFact, personalStream } from '../../events/facts/personal.ts';
import {
  type DecidePersonal,
  type PersonalRefusal,
  personalAggregate,
} from '../../projections/personal.ts';
import { usedDifferently } from './middleware/idempotency.ts';
import { Problem } from './problems.ts';
import type { RouteRequest } from './route.ts';
import type { HttpServices } from './services.ts';

type Facts = readonly StoredFact<PersonalFact>[];

/**
 * Makes something in somebody's order: a folder, a tag, a rule, a template, a word. A repetition of the command finds
 * what it made then.
 * @returns its id
 * @throws {Problem} what was refused; `key-used-differently` when the command led to anything else then
 */
export async function made(
  services: Pick<HttpServices, 'order' | 'store'>,
  owner: string,
  onBehalf: RouteRequest['onBehalf'],
  decisionOf: (id: string) => DecidePersonal,
): Promise<string> {
  const id = ulid();
  const facts = await changedIn(services, owner, onBehalf, decisionOf(id));
  // Of somebody who has nothing yet nothing is refused.
  const nobodys = personalAggregate.initial(personalStream(owner));
  const askedFor = (one: string): readonly PersonalFact[] => taken(decisionOf(one)(nobodys));
  const [asked] = askedFor(id);
  const [field = ''] = Object.entries(asked?.data ?? {}).find(([, value]) => value === id) ?? [];
  const there = (facts[0]?.data as Record<string, unknown> | undefined)?.[field];
  if (there === id) return id;
  if (typeof there !== 'string') throw usedDifferently();
  await assertLedTo(services, owner, facts, (stored) =>
    isDeepStrictEqual(stored.map(said), askedFor(there).map(said)),
  );
  return there;
}

/**
 * Changes somebody's order.
 * @returns the facts that the command led to, now or when it was given before; without content
 * @throws {Problem} what was refused
 */
export async function changedIn(
  { order }: Pick<HttpServices, 'order'>,
  owner: string,
  onBehalf: RouteRequest['onBehalf'],
  decide: DecidePersonal,
): Promise<Facts> {
  return taken(await order.change(owner, onBehalf, decide));
}

function taken<T extends readonly unknown[]>(decided: T | PersonalRefusal): T {
  if (isRefusal(decided)) throw new Problem(decided.refused, { said: decided.said });
  return decided;
}

/**
 * Compares what a command led to, which may have been given before, with what is asked for now: as the log has it, since
 * names may have been changed meanwhile.
 * @throws {Problem} `key-used-differently`
 */
export async function assertLedTo(
  { store }: Pick<HttpServices, 'store'>,
  owner: string,
  facts: Facts,
  isAskedFor: (stored: readonly LoggedFact[]) => boolean,
): Promise<void> {
  const [first] = facts;
  if (!first) return;
  const stored: LoggedFact[] = [];
  const those = { afterVersion: first.version - 1, limit: facts.length };
  for await (const fact of store.read(personalStream(owner), those)) stored.push(fact);
  if (!isAskedFor(stored)) throw usedDifferently();
}

/** What a fact says, as it is stored. */
const said = ({ type, data, content }: { type: string; data: unknown; content?: unknown }) =>
  JSON.parse(JSON.stringify({ type, data, content })) as unknown;
