import type { IncomingMessage } from 'node:http';
import type { Brain, Prompt } from './language-servers-brains.ts';

export type Flavour = 'ollama' | 'llama.cpp' | 'vllm' | 'lm-studio' | 'openai';

/** What can go wrong. Mutable on a running server; counted down by `times` when that is given. */
export type Faults = {
  /** Only the first so many chat requests are faulty. */
  times?: number;
  slowMs?: number;
  /** Answers when this has resolved. */
  until?: Promise<void>;
  /** Takes the request and never answers. */
  silent?: boolean;
  /** Sends half of the promised body, then drops the connection. */
  diesMidAnswer?: boolean;
  /** A complete HTTP answer with half a JSON document. */
  halfJson?: boolean;
  /** Serves the answer under another content type; `text/html` serves a login page. */
  contentType?: string;
  status?: { status: number; body: string; headers?: Record<string, string> };
  redirectTo?: string;
  /** Answers 500 with a page of so many bytes. */
  errorPageBytes?: number;
  /** Answers 200 with a JSON document of so many bytes. */
  answerBytes?: number;
  /** `<think>` in the content: closed, without its head, or nothing else than thoughts. */
  thinkTags?: 'closed' | 'headless' | 'only';
  /** Thinks with so many tokens unless effort is `low`, counts them as a part of the answer, and shows none: OpenAI's models. */
  hiddenThoughts?: number;
  /** `content` is a list: thoughts and text, as Mistral's reasoning models answer. */
  inParts?: boolean;
  /** The answer lies in `reasoning_content`; `content` is empty. */
  reasoningOnly?: boolean;
  finishReason?:
    | 'length'
    | 'model_length'
    | 'content_filter'
    | 'error'
    | 'abort'
    | 'insufficient_system_resource';
  /** Drops the front of the prompt without a word and counts only the rest. */
  truncates?: boolean;
  /** Does not say how many tokens it read. */
  uncounted?: boolean;
  /** Request fields refused with a 400 that names them (`response_format`, `temperature`, …). */
  rejects?: string[];
};

export type SeenRequest = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever was sent
  body: any;
};

/**
 * What the servers answer, field for field, as recorded in the project's protocol notes (Ollama
 * fb30760, llama.cpp 00dc805, vLLM 2026, LM Studio 0.4).
 */
export type Reply = {
  status: number;
  body: unknown;
  type?: string;
  headers?: Record<string, string>;
};

export type Settings = {
  flavour: Flavour;
  brain: Brain;
  models: string[];
  contextTokens: number;
  contextKey?: string;
  thinks: boolean;
};

/** Four characters a token: what English costs on most models. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4) + 4;

/** Every route but the chat. */
export function routesOf(settings: Settings, seen: SeenRequest): Reply {
  const { flavour, models, contextTokens } = settings;
  const key = `${seen.method} ${seen.path}`;
  if (key === 'GET /v1/models') return ok({ object: 'list', data: models.map(listed(settings)) });
  if (flavour === 'ollama') {
    if (key === 'GET /') return { status: 200, body: 'Ollama is running', type: 'text/plain' };
    if (key === 'GET /api/version') return ok({ version: '0.20.0' });
    if (key === 'GET /api/tags')
      return ok({ models: models.map((name) => ({ name, model: name })) });
    if (key === 'GET /api/ps')
      return ok({
        models: models.map((name) => ({ name, model: name, context_length: contextTokens })),
      });
    if (key === 'POST /api/show') return ok({ model_info: { 'llama.context_length': 131072 } });
    if (key === 'POST /api/chat')
      return ok({ model: seen.body.model, message: {}, done_reason: 'load', done: true });
    return { status: 404, body: '404 page not found', type: 'text/plain' };
  }
  if (flavour === 'llama.cpp') {
    if (key === 'GET /health') return ok({ status: 'ok' });
    if (key === 'GET /props')
      return ok({
        default_generation_settings: { id: 0, n_ctx: contextTokens, params: {} },
        total_slots: 1,
        model_path: `/models/${models[0]}.gguf`,
        chat_template: '',
      });
    return failed(404, { code: 404, message: 'File Not Found', type: 'not_found_error' });
  }
  if (flavour === 'lm-studio') {
    if (key === 'GET /api/v0/models')
      return ok({
        object: 'list',
        data: models.map((id) => ({
          id,
          object: 'model',
          type: id.includes('embed') ? 'embeddings' : 'llm',
          state: 'loaded',
          max_context_length: 131072,
          loaded_context_length: contextTokens,
        })),
      });
    // It answers 200 to whatever it does not know.
    return ok({ error: `Unexpected endpoint or method. (${key}). Returning 200 anyway` });
  }
  return { status: 404, body: { detail: 'Not Found' } };
}

/**
 * What the model gets to see. Servers that truncate silently cut the front of the user's message.
 */
export function promptOf(
  settings: Settings,
  seen: SeenRequest,
  truncates: boolean,
): Prompt & { tokens: number; whole: number } {
  const messages = seen.body.messages as { role: string; content: string }[];
  const system = messages.find((message) => message.role === 'system')?.content ?? '';
  let user = messages.findLast((message) => message.role === 'user')?.content ?? '';
  const whole = tokensOf(system) + tokensOf(user);
  const window = windowOf(settings, seen);
  const silent = settings.flavour === 'ollama' && seen.body.truncate !== false;
  if ((silent && whole > window) || truncates)
    user = user.slice(-Math.max(0, (window / 2 - tokensOf(system)) * 4));
  const format = seen.body.response_format;
  const schema = format?.json_schema?.schema ?? format ?? seen.body.format ?? null;
  return { system, user, schema, tokens: tokensOf(system) + tokensOf(user), whole };
}

/**
 * The refusal of a prompt that does not fit; undefined where it fits or the server says nothing.
 */
export function overflowOf(
  settings: Settings,
  seen: SeenRequest,
  prompt: { tokens: number },
): Reply | undefined {
  const window = windowOf(settings, seen);
  const wanted = prompt.tokens + (settings.flavour === 'vllm' ? (seen.body.max_tokens ?? 0) : 0);
  if (!settings.models.includes(seen.body.model) && settings.flavour !== 'llama.cpp')
    return settings.flavour === 'ollama' && seen.path === '/api/chat'
      ? { status: 404, body: { error: `model '${seen.body.model}' not found` } }
      : failed(404, { message: `The model \`${seen.body.model}\` does not exist.`, code: 404 });
  if (settings.flavour === 'lm-studio' && seen.body.response_format?.type === 'json_object')
    return {
      status: 400,
      body: { error: "'response_format.type' must be 'json_schema' or 'text'" },
    };
  if (settings.flavour === 'openai' && seen.body.chat_template_kwargs)
    return failed(400, {
      message: "Unknown parameter: 'chat_template_kwargs'.",
      type: 'invalid_request_error',
      param: 'chat_template_kwargs',
      code: 'unknown_parameter',
    });
  if (wanted <= window) return undefined;
  if (settings.flavour === 'ollama')
    return {
      status: 400,
      body: {
        error:
          'the prompt is longer than the context length currently available to the model; shorten it or raise num_ctx',
      },
    };
  if (settings.flavour === 'llama.cpp')
    return failed(400, {
      code: 400,
      message: `request (${prompt.tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: prompt.tokens,
      n_ctx: window,
    });
  if (settings.flavour === 'lm-studio')
    return {
      status: 400,
      body: {
        error: `Trying to keep the first ${prompt.tokens} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough.`,
      },
    };
  return failed(400, {
    message: `This model's maximum context length is ${window} tokens. However, you requested ${wanted} tokens (${prompt.tokens} in the messages, ${wanted - prompt.tokens} in the completion). Please reduce the length of the messages or completion.`,
    type: 'BadRequestError',
    param: null,
    code: 400,
  });
}

/** A complete answer in the shape of the flavour. */
export function answerOf(
  settings: Settings,
  seen: SeenRequest,
  prompt: Prompt & { tokens: number },
  fault: Faults,
  native: boolean,
): Reply {
  const { body } = seen;
  const answersMax: number = native
    ? (body.options?.num_predict ?? Infinity)
    : (body.max_completion_tokens ?? body.max_tokens ?? Infinity);
  const whole = settings.brain(prompt);
  const hidden = body.reasoning_effort === 'low' ? 0 : (fault.hiddenThoughts ?? 0);
  const cut = hidden + tokensOf(whole) > answersMax;
  const answer = tagged(cut ? whole.slice(0, Math.max(0, answersMax - hidden) * 4) : whole, fault);
  const finish = fault.finishReason ?? (cut ? 'length' : 'stop');
  const thinking = settings.thinks && !thinkingOff(settings.flavour, body, native);
  const thoughts = thinking ? 'The user wants me to be careful.' : undefined;
  if (native)
    return ok({
      model: body.model,
      created_at: '2026-11-20T10:00:00Z',
      message: { role: 'assistant', content: answer, ...(thoughts && { thinking: thoughts }) },
      done_reason: finish,
      done: true,
      prompt_eval_count: prompt.tokens,
      eval_count: tokensOf(answer),
    });
  const inContent = settings.flavour === 'vllm' && thoughts;
  const content = inContent ? `<think>\n${thoughts}\n</think>\n\n${answer}` : answer;
  const field = settings.flavour === 'ollama' ? 'reasoning' : 'reasoning_content';
  const message = fault.reasoningOnly
    ? { role: 'assistant', content: '', reasoning_content: answer }
    : {
        role: 'assistant',
        content: fault.inParts ? inParts(content) : content,
        ...(thoughts && !inContent && { [field]: thoughts }),
      };
  return ok({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1763632800,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(!fault.uncounted && {
      usage: {
        prompt_tokens: prompt.tokens,
        completion_tokens: tokensOf(answer) + hidden,
        total_tokens: prompt.tokens + tokensOf(answer) + hidden,
        ...(fault.hiddenThoughts && {
          completion_tokens_details: { reasoning_tokens: Math.min(hidden, answersMax) },
        }),
      },
    }),
  });
}

/** As docs.mistral.ai shows it for Magistral. */
const inParts = (answer: string) => [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hmm, the user wants [1] no.' }] },
  { type: 'text', text: answer.slice(0, 10) },
  { type: 'text', text: answer.slice(10) },
];

const ok = (body: unknown): Reply => ({ status: 200, body });
const failed = (status: number, error: Record<string, unknown>): Reply => ({
  status,
  body: { error },
});

/** Ollama takes the window from the request, on its own API only. */
const windowOf = (settings: Settings, seen: SeenRequest): number =>
  (seen.path === '/api/chat' && seen.body.options?.num_ctx) || settings.contextTokens;

function listed(settings: Settings): (id: string) => Record<string, unknown> {
  const common = { object: 'model', created: 1763632800 };
  if (settings.flavour === 'vllm')
    return (id) => ({
      id,
      ...common,
      owned_by: 'vllm',
      root: id,
      parent: null,
      max_model_len: settings.contextTokens,
    });
  if (settings.flavour === 'llama.cpp')
    return (id) => ({ id, ...common, owned_by: 'llamacpp', meta: { n_ctx_train: 131072 } });
  return (id) => ({
    id,
    ...common,
    owned_by: settings.flavour === 'ollama' ? 'library' : 'system',
    ...(settings.contextKey && { [settings.contextKey]: settings.contextTokens }),
  });
}

function tagged(answer: string, fault: Faults): string {
  if (fault.thinkTags === 'closed') return `<think>\nhmm, [1] no\n</think>\n\n${answer}`;
  if (fault.thinkTags === 'headless') return `let me see, [1] no\n</think>\n\n${answer}`;
  if (fault.thinkTags === 'only') return `<think>\n${answer}`;
  return answer;
}

function thinkingOff(
  flavour: Flavour,
  body: {
    think?: boolean;
    reasoning_effort?: string;
    chat_template_kwargs?: { enable_thinking?: boolean };
  },
  native: boolean,
): boolean {
  if (native) return body.think === false;
  const byTemplate = body.chat_template_kwargs?.enable_thinking === false;
  const byEffort = body.reasoning_effort === 'none';
  if (flavour === 'ollama') return byEffort;
  if (flavour === 'llama.cpp') return byTemplate || byEffort;
  return flavour === 'vllm' && byTemplate;
}
