import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as z from 'zod';
import type { Completion } from './model.ts';
import type { Server, ServerAnswer } from '../servers/server.ts';
import { serverMessage } from '../servers/server-failure.ts';
import { throughOpenAI } from '../servers/ask-server.ts';
import { ServerAnswerError, askForJson, isOverflow, type ServerKind } from './language-server.ts';
import { StageError, type StageFailure } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { jsonObjectIn, withoutThinking } from './answers.ts';

/** An answer as the server gave it, before it is judged. */
export type Reply = {
  content: string;
  /** Thoughts kept apart from the answer; some servers put the answer there. */
  reasoning: string;
  /** Whether it thought before it answered, shown or not. */
  thought: boolean;
  /** `stop`, `length`, `content_filter`, …; null when the server does not say. */
  finish: string | null;
  refusal: string | null;
  /** Tokens of the prompt the server says it read; null when it does not say. */
  promptTokens: number | null;
};

export type ChatTo = {
  model: string;
  completion: Completion;
  capabilities: ChatCapabilities;
  signal: AbortSignal;
};

/** Mistral's reasoning models answer in parts: thoughts, which may be parts again, and text. */
const partSchema = z.looseObject({ type: z.string().nullish(), text: z.string().nullish() });
const contentSchema = z.union([z.string(), z.array(z.union([z.string(), partSchema]))]);

/**
 * Servers leave out fields, send null, or say `error` in a 200: nothing of the types is relied on.
 */
const answerSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: contentSchema.nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      reasoning_tokens: z.number().nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

/** One chat completion through the `openai` package. @throws as `askForJson` */
export async function chatOpenAI(
  server: Server,
  { model, completion, capabilities, signal }: ChatTo,
): Promise<Reply> {
  const request = requestBody(model, completion, capabilities);
  const ask = async (url: string, init: RequestInit) =>
    Response.json(await askForJson(server, url, init));
  const answer: unknown = await throughOpenAI(server, ask, (client) =>
    client.chat.completions.create(request, { signal }),
  );
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw notAChatAnswer(answer);
  const { message, finish_reason } = parsed.data.choices[0]!;
  const { usage } = parsed.data;
  const content = textIn(message.content ?? '');
  const reasoning = message.reasoning_content ?? message.reasoning ?? '';
  const hidden = usage?.completion_tokens_details?.reasoning_tokens ?? usage?.reasoning_tokens ?? 0;
  return {
    content,
    reasoning,
    // OpenAI and Gemini show no thoughts, and count them as a part of the answer.
    thought: reasoning !== '' || hidden > 0,
    // Mistral's, where prompt and answer fill the model's context.
    finish: finish_reason === 'model_length' ? 'length' : (finish_reason ?? null),
    refusal: message.refusal ?? null,
    promptTokens: usage?.prompt_tokens ?? null,
  };
}

/** The text of an answer, without what its parts say they thought. */
const textIn = (content: z.infer<typeof contentSchema>): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (typeof part === 'string' ? part : isThought(part) ? '' : (part.text ?? '')))
        .join('');

const isThought = ({ type }: z.infer<typeof partSchema>): boolean =>
  type !== undefined && type !== null && /think|reason/iu.test(type);

/**
 * `{"error": …}` inside a 200, as LM Studio answers unknown routes and loaders that failed; gateways (OpenRouter) name
 * the status there.
 */
export function notAChatAnswer(answer: unknown): ServerAnswerError {
  const body = JSON.stringify(answer ?? null).slice(0, 2000);
  const headers = new Headers();
  const code = statusSchema.safeParse(answer).data?.error.code;
  return new ServerAnswerError({
    status: code ?? 200,
    contentType: 'application/json',
    headers,
    body,
  });
}

const statusSchema = z.object({ error: z.object({ code: z.int().min(400).max(599) }) });

/**
 * What is asked of an endpoint beyond a prompt. Servers differ; each refusal downgrades it once.
 */
export type ChatCapabilities = {
  /** How an answer in JSON is asked for. The prompt says so as well. */
  format: 'json_schema' | 'json_object' | 'none';
  /** `reasoning_effort`: Ollama, llama.cpp, LM Studio, OpenAI; the least that a model takes. Null: not said. */
  effort: 'none' | 'minimal' | 'low' | null;
  /** `chat_template_kwargs: {enable_thinking: false}`: vLLM, llama.cpp. */
  template: boolean;
  /** `think: false`: Ollama's own API. */
  think: boolean;
  temperature: boolean;
  /** OpenAI's newer models know only the second name. */
  limit: 'max_tokens' | 'max_completion_tokens' | 'none';
};

/**
 * The most a request is asked again within one answer: one for each downgrade there is, and the bare
 * one.
 */
export const downgradesMax = 10;

/** The first try at a server: everything that helps and that it is known to take. */
export function initialCapabilities(kind: ServerKind, origin: string): ChatCapabilities {
  const openai = new URL(origin).hostname.endsWith('.openai.com');
  return {
    format: 'json_schema',
    effort: kind === 'vllm' ? null : 'none',
    template: kind !== 'lm-studio' && !openai,
    think: true,
    temperature: true,
    limit: openai ? 'max_completion_tokens' : 'max_tokens',
  };
}

/**
 * The next capabilities after a refusal that names something we asked for; undefined when the refusal is
 * about something else. A 400 that names nothing is answered by one bare request.
 */
export function downgradeChat(
  capabilities: ChatCapabilities,
  answer: ServerAnswer,
  asksJson: boolean,
): ChatCapabilities | undefined {
  if (![400, 422, 500, 501].includes(answer.status) || isOverflow(answer)) return undefined;
  const said = serverMessage(answer.body).toLowerCase();
  if (capabilities.effort && /reasoning.?effort|thinking.?(?:budget|mode)/u.test(said))
    return { ...capabilities, effort: lessRefused(capabilities.effort, said) };
  if (capabilities.template && /chat_template_kwargs|enable_thinking/u.test(said))
    return { ...capabilities, template: false };
  if (capabilities.think && /\bthink/u.test(said)) return { ...capabilities, think: false };
  if (capabilities.temperature && said.includes('temperature'))
    return { ...capabilities, temperature: false };
  if (capabilities.limit === 'max_tokens' && said.includes('max_tokens'))
    return { ...capabilities, limit: 'max_completion_tokens' };
  if (capabilities.limit === 'max_completion_tokens' && said.includes('max_completion_tokens'))
    return { ...capabilities, limit: 'none' };
  if (
    asksJson &&
    capabilities.format !== 'none' &&
    /format|json|schema|grammar|guided|structured/u.test(said)
  )
    return {
      ...capabilities,
      format: capabilities.format === 'json_schema' ? 'json_object' : 'none',
    };
  const bare = {
    ...capabilities,
    format: 'none',
    effort: null,
    template: false,
    think: false,
  } as const;
  const extras =
    capabilities.effort !== null ||
    capabilities.template ||
    capabilities.think ||
    capabilities.format !== 'none';
  return answer.status < 500 && extras ? bare : undefined;
}

/** Left out, the effort is the server's own: a model that must think does so least when it is told to. */
function lessRefused(effort: 'none' | 'minimal' | 'low', said: string): ChatCapabilities['effort'] {
  const isValue =
    /support(?:s|ed)? values?|unsupported value|does not support|invalid|must be|budget|mode/u;
  if (!isValue.test(said)) return null;
  return effort === 'none' ? 'minimal' : effort === 'minimal' ? 'low' : null;
}

/**
 * The text of an answer, if it is a whole answer to the whole prompt.
 * @param fewest tokens that a server has read which saw all of the prompt
 * @throws {StageError} `model-away` (retriable), `prompt-truncated`, `answer-cut`, `content-filter`, `answer-empty`.
 */
export function judgedReply(
  reply: Reply,
  completion: Completion,
  { server, fewest }: { server: string; fewest: number },
): string {
  const { finish, promptTokens, refusal } = reply;
  if (finish !== null && brokenOff.has(finish)) {
    const sentence = failure('language-server-broke-off', {
      server,
      cause: finish,
      during: 'answer',
    });
    throw new StageError(sentence, { retriable: true });
  }
  if (promptTokens !== null && promptTokens > 0 && promptTokens < fewest)
    throw failed(
      failure('context-too-small', { server, read: promptTokens, least: Math.ceil(fewest) }),
    );
  if (finish === 'content_filter') throw failed(failure('content-refused', {}));
  if (finish === 'length') throw failed(failure('answer-unfinished'));
  if (refusal) throw failed(failure('answer-declined'));
  const answer = withoutThinking(reply.content);
  if (answer !== '') return answer;
  // LM Studio puts the JSON of thinking models there; a plain answer in it would be thoughts.
  const astray =
    completion.schema && jsonObjectIn(withoutThinking(reply.reasoning) || reply.reasoning);
  if (astray) return JSON.stringify(astray);
  throw failed(failure('answer-empty'));
}

/** How OpenRouter and Mistral, vLLM and SGLang, z.AI and DeepSeek end what they could not finish. */
const brokenOff: ReadonlySet<string> = new Set([
  'error',
  'abort',
  'network_error',
  'insufficient_system_resource',
]);

const failed = (sentence: StageFailure): StageError =>
  new StageError(sentence, { retriable: false });

function requestBody(
  model: string,
  { system, user, answerTokensMax, schema }: Completion,
  capabilities: ChatCapabilities,
): ChatCompletionCreateParamsNonStreaming {
  const body = {
    model,
    stream: false,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(capabilities.temperature && { temperature: 0 }),
    ...(capabilities.limit !== 'none' && { [capabilities.limit]: answerTokensMax }),
    ...(capabilities.effort && { reasoning_effort: capabilities.effort }),
    ...(capabilities.template && { chat_template_kwargs: { enable_thinking: false } }),
    ...(schema &&
      capabilities.format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(schema &&
      capabilities.format === 'json_schema' && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: schema.name, strict: true, schema: schema.schema },
        },
      }),
  };
  return body as ChatCompletionCreateParamsNonStreaming;
}
