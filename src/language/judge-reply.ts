import { StageError } from '../stage-error.ts';
import type { Reply } from './chat-openai.ts';
import { jsonObjectIn } from './json-answer.ts';
import type { Completion } from './model.ts';
import { withoutThinking } from './thinking.ts';
import { fewestTokens } from './tokens.ts';

/**
 * The text of an answer, if it is a whole answer to the whole prompt.
 * @throws {StageError} `prompt-truncated`, `answer-cut`, `content-filter`, `answer-empty`.
 */
export function judgedReply(reply: Reply, completion: Completion, server: string): string {
  const { finish, promptTokens, refusal } = reply;
  const fewest = fewestTokens(completion.system + completion.user);
  if (promptTokens !== null && promptTokens > 0 && promptTokens < fewest)
    throw failed(
      'prompt-truncated',
      `The language model at ${server} read only ${promptTokens} tokens of a prompt of at least ${Math.ceil(fewest)}. Give it a larger context, or set llm.context to the one it has.`,
    );
  if (finish === 'content_filter')
    throw failed('content-filter', `The language model at ${server} refuses this content.`);
  if (finish === 'length')
    throw failed(
      'answer-cut',
      `The language model at ${server} did not come to an end of its answer.`,
    );
  if (refusal)
    throw failed('content-filter', `The language model at ${server} declined to answer.`);
  const answer = withoutThinking(reply.content);
  if (answer !== '') return answer;
  // LM Studio puts the JSON of thinking models there; a plain answer in it would be thoughts.
  const astray =
    completion.schema && jsonObjectIn(withoutThinking(reply.reasoning) || reply.reasoning);
  if (astray) return JSON.stringify(astray);
  throw failed('answer-empty', `The language model at ${server} gave an empty answer.`);
}

const failed = (code: string, message: string): StageError =>
  new StageError(code, message, { retriable: false });
