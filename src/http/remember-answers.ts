import type { Middleware } from 'koa';
import { ulid } from 'ulid';
import { limits } from './limits.ts';
import { Problem, invalid } from './problems.ts';
import type { State } from './state.ts';

/**
 * `Idempotency-Key` on any POST: a repetition gets the first answer, and does nothing twice. The key also
 * becomes the command's id, by which the log knows a repetition even after a restart; what is kept here
 * only makes the answer the very same. Refusals are not kept: what was in the way may be gone.
 */
export function rememberAnswers(): Middleware<State> {
  const answers = new Map<string, Remembered>();

  return async (ctx, next) => {
    const { caller } = ctx.state;
    if (ctx.method !== 'POST' || !caller) {
      await next();
      return;
    }
    const key = idempotencyKey(ctx.get('Idempotency-Key'));
    const command = `${caller.userId}:${key ?? ulid()}`;
    ctx.state.command = command;
    if (key === undefined) {
      await next();
      return;
    }

    const earlier = answers.get(command);
    if (earlier && earlier.path !== ctx.path) {
      throw new Problem('key-used-differently', 'Take a new key for another request.');
    }
    const answer = await earlier?.answer;
    if (answer) {
      ctx.status = answer.status;
      ctx.body = answer.body;
      return;
    }
    // Nobody else runs between the look above and this line: the first try was none, or refused.
    const work = next();
    const remembered = {
      path: ctx.path,
      answer: work.then(
        () => (ctx.status < 300 ? { status: ctx.status, body: ctx.body } : null),
        () => null,
      ),
    };
    answers.set(command, remembered);
    if (answers.size > limits.rememberedAnswersMax) answers.delete(answers.keys().next().value!);
    if ((await remembered.answer) === null && answers.get(command) === remembered) {
      answers.delete(command);
    }
    await work;
  };
}

type Answer = { status: number; body: unknown };
type Remembered = { path: string; answer: Promise<Answer | null> };

function idempotencyKey(header: string): string | undefined {
  if (header === '') return undefined;
  const { idempotencyKeyCharactersMax: max } = limits;
  if (header.length > max || !/^[\x21-\x7e]+$/.test(header)) {
    throw invalid([
      { path: 'Idempotency-Key', message: `must be 1 to ${max} visible ASCII characters` },
    ]);
  }
  return header;
}
