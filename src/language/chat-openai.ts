import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as z from 'zod';
import type { Rung } from './chat-ladder.ts';
import type { Completion } from './model.ts';
import { ServerAnswerError } from './bounded-fetch.ts';

/** An answer as the server gave it, before it is judged. */
export type Reply = {
  content: string;
  /** Thoughts kept apart from the answer; some servers put the answer there. */
  reasoning: string;
  /** `stop`, `length`, `content_filter`, …; null when the server does not say. */
  finish: string | null;
  refusal: string | null;
  /** Tokens of the prompt the server says it read; null when it does not say. */
  promptTokens: number | null;
};

export type ChatTo = {
  model: string;
  completion: Completion;
  rung: Rung;
  signal: AbortSignal;
};

/**
 * Servers leave out fields, send null, or say `error` in a 200: nothing of the types is relied on.
 */
const answerSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().nullish() }).nullish(),
});

/**
 * One chat completion through the `openai` package. Its retries and time limits are off (they would
 * run a job of half an hour three times), its environment variables are overridden, and what went
 * wrong on the way is thrown as it was: the package hides causes of timeouts.
 */
export async function chatOpenAI(
  endpoint: { api: string; apiKey: string | null; fetch: typeof fetch },
  { model, completion, rung, signal }: ChatTo,
): Promise<Reply> {
  let failure: unknown;
  const client = new OpenAI({
    baseURL: endpoint.api,
    apiKey: endpoint.apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    timeout: 2 ** 31 - 1,
    fetch: async (input, init) => {
      try {
        return await endpoint.fetch(input, init);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  });
  const request = requestBody(model, completion, rung);
  let answer: unknown;
  try {
    answer = await client.chat.completions.create(request, { signal });
  } catch (error) {
    throw failure ?? error;
  }
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw notAChatAnswer(answer);
  const { message, finish_reason } = parsed.data.choices[0]!;
  return {
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? message.reasoning ?? '',
    finish: finish_reason ?? null,
    refusal: message.refusal ?? null,
    promptTokens: parsed.data.usage?.prompt_tokens ?? null,
  };
}

/** `{"error": …}` inside a 200, as LM Studio answers unknown routes and loaders that failed. */
export function notAChatAnswer(answer: unknown): ServerAnswerError {
  const body = JSON.stringify(answer ?? null).slice(0, 2000);
  return new ServerAnswerError(new Response(null, { status: 200 }), body);
}

function requestBody(
  model: string,
  { system, user, answerTokensMax, schema }: Completion,
  rung: Rung,
): ChatCompletionCreateParamsNonStreaming {
  const body = {
    model,
    stream: false,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(rung.temperature && { temperature: 0 }),
    ...(rung.limit !== 'none' && { [rung.limit]: answerTokensMax }),
    ...(rung.effort && { reasoning_effort: 'none' }),
    ...(rung.template && { chat_template_kwargs: { enable_thinking: false } }),
    ...(schema && rung.format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(schema &&
      rung.format === 'json_schema' && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: schema.name, strict: true, schema: schema.schema },
        },
      }),
  };
  return body as ChatCompletionCreateParamsNonStreaming;
}
