import type { ServerAnswerError } from './bounded-fetch.ts';
import type { ServerKind } from './recognise-server.ts';
import { isOverflow } from './server-errors.ts';
import { serverMessage } from './server-message.ts';

/**
 * What is asked of an endpoint beyond a prompt. Servers differ; each refusal takes one step down.
 */
export type Rung = {
  /** How an answer in JSON is asked for. The prompt says so as well. */
  format: 'json_schema' | 'json_object' | 'none';
  /** `reasoning_effort: none`: Ollama, llama.cpp, LM Studio, OpenAI. */
  effort: boolean;
  /** `chat_template_kwargs: {enable_thinking: false}`: vLLM, llama.cpp. */
  template: boolean;
  /** `think: false`: Ollama's own API. */
  think: boolean;
  temperature: boolean;
  /** OpenAI's newer models know only the second name. */
  limit: 'max_tokens' | 'max_completion_tokens' | 'none';
};

/**
 * The most a request is asked again within one answer: one for each step there is, and the bare
 * one.
 */
export const stepsMax = 8;

/** The first try at a server: everything that helps and that it is known to take. */
export function topRung(kind: ServerKind, origin: string): Rung {
  const openai = new URL(origin).hostname.endsWith('.openai.com');
  return {
    format: 'json_schema',
    effort: kind !== 'vllm',
    template: kind !== 'lm-studio' && !openai,
    think: true,
    temperature: true,
    limit: openai ? 'max_completion_tokens' : 'max_tokens',
  };
}

/**
 * The next rung after a refusal that names something we asked for; undefined when the refusal is
 * about something else. A 400 that names nothing is answered by one bare request.
 */
export function stepDown(
  rung: Rung,
  error: ServerAnswerError,
  asksJson: boolean,
): Rung | undefined {
  if (![400, 422, 500, 501].includes(error.status) || isOverflow(error)) return undefined;
  const said = serverMessage(error.body).toLowerCase();
  if (rung.effort && /reasoning.?effort/u.test(said)) return { ...rung, effort: false };
  if (rung.template && /chat_template_kwargs|enable_thinking/u.test(said))
    return { ...rung, template: false };
  if (rung.think && /\bthink/u.test(said)) return { ...rung, think: false };
  if (rung.temperature && said.includes('temperature')) return { ...rung, temperature: false };
  if (rung.limit === 'max_tokens' && said.includes('max_tokens'))
    return { ...rung, limit: 'max_completion_tokens' };
  if (rung.limit === 'max_completion_tokens' && said.includes('max_completion_tokens'))
    return { ...rung, limit: 'none' };
  if (
    asksJson &&
    rung.format !== 'none' &&
    /format|json|schema|grammar|guided|structured/u.test(said)
  )
    return { ...rung, format: rung.format === 'json_schema' ? 'json_object' : 'none' };
  const bare = { ...rung, format: 'none', effort: false, template: false, think: false } as const;
  const extras = rung.effort || rung.template || rung.think || rung.format !== 'none';
  return error.status < 500 && extras ? bare : undefined;
}
