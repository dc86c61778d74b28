import { askServer, isGood } from '../servers/ask-server.ts';
import type { Server, ServerAnswer } from '../servers/server.ts';
import { answerFailure, connectionFailure, quoted } from '../servers/server-failure.ts';
import { StageError } from '../shared/errors.ts';

/** The server answered, but not with what was asked for. Never shown as it is: see `modelFailure`. */
export class ServerAnswerError extends Error {
  override name = 'ServerAnswerError';
  /** Its body may quote the prompt or the key. */
  readonly answer: ServerAnswer;
  constructor(answer: ServerAnswer) {
    super(`The server answered ${answer.status}`);
    this.answer = answer;
  }
}

/**
 * What a server answers in JSON, also under another content type.
 * @throws {ServerAnswerError} for whatever is not 2xx; {StageError} for what is not JSON; as `askServer`
 */
export async function askForJson(server: Server, url: string, init: RequestInit): Promise<unknown> {
  const answer = await askServer(server, url, init);
  if (!isGood(answer)) throw new ServerAnswerError(answer);
  try {
    return JSON.parse(answer.body);
  } catch {
    const { name } = server;
    if (/^\s*[[{]/u.test(answer.body))
      throw new StageError('model-away', `${name} answered with broken JSON.`, { retriable: true });
    const sentence = `${name} answered something that is not JSON. Is that the address of an API?`;
    throw new StageError('model-refused', sentence, { retriable: false });
  }
}

/** Says in a sentence what went wrong between us and a language-model server. @param prompt what was sent */
export function modelFailure(server: Server, error: unknown, prompt: string): StageError {
  if (!(error instanceof ServerAnswerError)) return connectionFailure(server, error);
  const { answer } = error;
  const lasting = { retriable: false };
  const said = quoted(server, answer, prompt);
  if (isOverflow(answer))
    return new StageError(
      'prompt-truncated',
      `${server.name} has too small a context.${said}`,
      lasting,
    );
  if (/content_filter|content management policy|ResponsibleAIPolicy/iu.test(answer.body))
    return new StageError('content-filter', `${server.name} refuses the content.${said}`, lasting);
  return answerFailure(server, answer, prompt);
}

/** Whether a refusal says that the prompt does not fit into the model's context. */
export function isOverflow({ status, body }: ServerAnswer): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  return /exceed_context_size|context_length_exceeded|exceeds? the (available )?context|maximum context length|longer than the context|context (length|size|window) (exceeded|is)|context length of only|too many tokens|prompt is too long/iu.test(
    body,
  );
}

/** The context's size, where a refusal states it: llama.cpp's `n_ctx`, the sentences of others. */
export function contextToldBy({ body }: ServerAnswer): number | null {
  const found =
    /"n_ctx"\s*:\s*(\d+)/u.exec(body) ??
    /maximum context length is (\d+)/iu.exec(body) ??
    /(?:available context size \(|context length of only )(\d+)/iu.exec(body);
  return found ? Number(found[1]) : null;
}
