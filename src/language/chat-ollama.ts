import * as z from 'zod';
import type { Server } from '../servers/server.ts';
import { type ChatTo, type Reply, notAChatAnswer } from './chat-openai.ts';
import { askForJson } from './language-server.ts';

/**
 * How long Ollama keeps the model loaded after an answer: the next part of a long job comes soon.
 */
const keepAlive = '10m';
/** What Ollama takes by default on small machines; asked for by number, so that it is known. */
const contextDefault = 4096;

/** The server, and where it lies itself. */
type Endpoint = { server: Server; root: string };

const answerSchema = z.object({
  message: z.object({ content: z.string().nullish(), thinking: z.string().nullish() }),
  done: z.boolean(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.number().nullish(),
});

/**
 * One answer through Ollama's own API, because the OpenAI-compatible one cuts prompts that do not
 * fit without a word. With `truncate: false` it refuses them.
 */
export async function chatOllama(
  endpoint: Endpoint,
  { model, completion, capabilities, signal }: ChatTo,
  contextTokens: number,
): Promise<Reply> {
  const { schema } = completion;
  const format = { json_schema: schema?.schema, json_object: 'json', none: undefined }[
    capabilities.format
  ];
  const answer = await post(endpoint, signal, {
    model,
    stream: false,
    truncate: false,
    shift: false,
    keep_alive: keepAlive,
    messages: [
      { role: 'system', content: completion.system },
      { role: 'user', content: completion.user },
    ],
    options: {
      num_ctx: contextTokens,
      num_predict: completion.answerTokensMax,
      ...(capabilities.temperature && { temperature: 0 }),
    },
    ...(capabilities.think && { think: false }),
    ...(schema && format !== undefined && { format }),
  });
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw notAChatAnswer(answer);
  const { message, done, done_reason, prompt_eval_count } = parsed.data;
  return {
    content: message.content ?? '',
    reasoning: message.thinking ?? '',
    thought: (message.thinking ?? '') !== '',
    finish: done ? (done_reason ?? null) : 'length',
    refusal: null,
    promptTokens: prompt_eval_count ?? null,
  };
}

const runningSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number().nullish() })),
});

/**
 * The context Ollama gives a model by itself: loads the model (a chat without messages), then
 * looks.
 */
export async function ollamaContext(
  endpoint: Endpoint,
  model: string,
  signal: AbortSignal,
): Promise<number> {
  await post(endpoint, signal, { model, messages: [], keep_alive: keepAlive, stream: false });
  const { server, root } = endpoint;
  const running = runningSchema.safeParse(await askForJson(server, `${root}/api/ps`, { signal }));
  const found = running.data?.models.find(
    ({ name }) => name === model || name === `${model}:latest`,
  );
  return found?.context_length || contextDefault;
}

const post = ({ server, root }: Endpoint, signal: AbortSignal, body: unknown): Promise<unknown> =>
  askForJson(server, `${root}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
