/** Where the size of a context is from. `assumed`: nobody tells, and no refusal has told yet. */
export type Context = {
  tokens: number;
  source: 'set' | 'server' | 'table' | 'learnt' | 'assumed';
};

/**
 * What is tried where nobody tells: an hour of talk fits into one request, and a refusal costs less than forty requests.
 */
export const contextAssumed = 131_072;

/** The context of a server that does not say how much of a prompt it read: one that cuts prompts would not be noticed. */
export const contextUnverified = 4096;

const contextLeast = 512;

/** What a server has is learnt anew after this: it may have been started with another model or context. */
const learntMs = 24 * 3_600_000;
const learntMax = 100;

/**
 * Contexts of models whose servers do not tell them, by the last part of the name (`openai/gpt-4o`): the input that each
 * takes at least, in tokens (platform.openai.com/docs/models). A refusal corrects it.
 */
const contextsOfModels: readonly [RegExp, number][] = [
  [/^gpt-4\.1/u, 1_000_000],
  [/^gpt-5/u, 272_000],
  [/^o[134](?:-|$)/u, 200_000],
  [/^(?:chatgpt-4o|gpt-4o|gpt-4-turbo)/u, 128_000],
  [/^gpt-3\.5-turbo/u, 16_000],
];

/** The context of a model that is known by its name. */
export function knownContext(model: string): number | undefined {
  const name = model.split('/').at(-1)!.toLowerCase();
  return contextsOfModels.find(([pattern]) => pattern.test(name))?.[1];
}

/** What refusals told, by address and model: also for the next one that opens this server, as Health does. */
const learnt = new Map<string, { tokens: number; at: number }>();

const keyOf = (api: string, model: string): string => JSON.stringify([api, model]);

/** What a refusal told of a model's context at an address; undefined where none did, or long ago. */
export function learntContext(api: string, model: string): number | undefined {
  const found = learnt.get(keyOf(api, model));
  return found && performance.now() - found.at < learntMs ? found.tokens : undefined;
}

/** Keeps what a refusal told. Only less than what is known already. */
export function learnContext(api: string, model: string, tokens: number): void {
  const known = learntContext(api, model) ?? Infinity;
  if (tokens >= known) return;
  const key = keyOf(api, model);
  learnt.delete(key);
  learnt.set(key, { tokens: Math.max(contextLeast, Math.floor(tokens)), at: performance.now() });
  const [oldest] = learnt.keys();
  if (learnt.size > learntMax && oldest !== undefined) learnt.delete(oldest);
}
