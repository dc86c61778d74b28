/** What is asked about a call on this computer, where the service runs on it too. */
import { atom } from 'nanostores';
import { type Schema, answer, api } from './api.ts';
import { onFrame } from './feed.ts';
import { session } from './session.ts';

type CallFrame = Extract<Schema<'ServerFrame'>, { type: 'call' }>;
export type CallAnswer = 'record' | 'not-now' | 'never' | 'stop' | 'continue';

export const callQuestion = atom<CallFrame['question']>(null);

/** Follows what is asked. Returns how to stop. */
export function followCalls(): () => void {
  const stops = [
    onFrame((frame) => {
      if (frame.type === 'call') callQuestion.set(frame.question);
    }),
    session.listen(() => callQuestion.set(null)),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Answers the question. @returns the recording that was begun or stopped @throws {ApiError} */
export async function answerCall(id: string, given: CallAnswer): Promise<string | null> {
  const sent = api.POST('/audio/call', { body: { id, answer: given } });
  return (await answer(sent)).recording_id;
}
