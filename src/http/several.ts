import * as z from 'zod';
import { wrong } from '../shared/in-words.ts';
import { readerOf } from './middleware/authenticate.ts';
import { problemBody } from './problem-answer.ts';
import type { RouteContext } from './route.ts';
import { toProblem } from './to-problem.ts';

/** Ids of recordings in a body, each once. */
export const idsUpTo = (most: number) =>
  z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, wrong('recording-named-twice'));

/** What was refused of several. */
export const refusals = z.array(
  z.object({ recording_id: z.string(), type: z.string(), detail: z.string() }),
);

/** Our own mistakes, and what concerns all of them, end the whole. */
export function refusal(ctx: RouteContext, error: unknown): { type: string; detail: string } {
  const problem = toProblem(error);
  if (problem.status >= 500) throw error;
  const { detail } = problemBody(problem, readerOf(ctx));
  return { type: `/problems/${problem.type}`, detail };
}
