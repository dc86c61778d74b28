import * as z from 'zod';
import { StageError } from '../../shared/errors.ts';
import { AnswerLost, type ServerAnswer } from '../../servers/server.ts';

/** Media type of an answer that comes event by event. */
export const eventStream = 'text/event-stream';

/** OpenAI’s, speaches’ and LocalAI’s events (`type`), and vLLM’s, which are those of a chat. */
const eventSchema = z.object({
  type: z.string().optional(),
  delta: z.string().optional(),
  text: z.string().optional(),
  choices: z
    .array(z.object({ delta: z.object({ content: z.string().nullish() }).optional() }))
    .optional(),
  error: z.unknown().optional(),
});

type Streamed = { text: string; isDone: boolean; error: unknown };

/**
 * What a streamed transcription has said so far (server-sent events, an event a line: OpenAI's `stream`). An event that
 * has not come to its end counts for nothing.
 * @throws {StageError} `engine-answer` for what is no such event
 */
export function streamedSoFar(body: string): Streamed {
  const streamed: Streamed = { text: '', isDone: false, error: undefined };
  for (const line of body.slice(0, body.lastIndexOf('\n') + 1).split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') streamed.isDone = true;
    else take(streamed, eventIn(data));
  }
  return streamed;
}

function take(streamed: Streamed, { type, delta, text, choices, error }: Event): void {
  if (error !== undefined) streamed.error = error;
  if (type === 'transcript.text.done') {
    streamed.text = text ?? streamed.text;
    streamed.isDone = true;
  } else streamed.text += delta ?? choices?.[0]?.delta?.content ?? '';
}

type Event = z.infer<typeof eventSchema>;

function eventIn(data: string): Event {
  try {
    return eventSchema.parse(JSON.parse(data));
  } catch (error) {
    throw new StageError('engine-answer', 'The server streams what is no event of a transcript.', {
      retriable: true,
      cause: error,
    });
  }
}

/**
 * A streamed answer as it would be in one piece; any other as it is.
 * @throws {AnswerLost} when it ended before it was done
 */
export function inOnePiece(answer: ServerAnswer): ServerAnswer {
  if (answer.contentType !== eventStream || answer.status !== 200) return answer;
  const { text, isDone, error } = streamedSoFar(answer.body);
  if (error === undefined && !isDone) throw new AnswerLost('The events ended too early');
  const body = JSON.stringify(error === undefined ? { text } : { error });
  return { ...answer, contentType: 'application/json', body };
}
