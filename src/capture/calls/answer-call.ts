import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { Captures } from '../captures.ts';
import { combinedDevice } from '../device/alsa-config.ts';
import type { Toggle, Toggled } from '../toggle.ts';
import type { Calls } from './calls.ts';

export const callAnswerSchema = z.strictObject({
  id: z.string().max(50).describe('of the question'),
  answer: z
    .enum(['record', 'not-now', 'never', 'stop', 'continue'])
    .describe(
      '`record`: microphone and speakers together; `never`: not about this program again; `continue`: goes on recording',
    ),
  kind: z.enum(['solo', 'meeting']).optional().describe('of the recording; a meeting by default'),
});

/**
 * Does what a person at this computer answers to the question about a call. What the call uses becomes the
 * combined source: a headset that was plugged in for it would be missed by the one chosen before.
 * @returns what was begun or stopped; null: nothing
 * @throws {StageError} `not-recording`: the question is over; as `Toggle`, as `Captures.combineNext`; {ConfigError}
 */
export async function answerCall(
  parts: {
    calls: Calls;
    captures: Pick<Captures, 'combineNext'>;
    toggle: Toggle;
    config: Pick<Config, 'settings' | 'update'>;
  },
  who: Parameters<Toggle>[0],
  { id, answer, kind = 'meeting' }: z.output<typeof callAnswerSchema>,
): Promise<Toggled | null> {
  const { calls, captures, toggle, config } = parts;
  const call = calls.asked(id);
  if (!call) throw new StageError(failure('call-over'), { retriable: false });
  const { program, microphone, monitor } = call;
  if (answer === 'never') {
    const never = new Set([...config.settings()['calls.never'], program]);
    await config.update({ calls: { never: [...never] } }, { by: who.owner, command: who.command });
  }
  if (answer === 'record') {
    const undo = await captures.combineNext({ microphone, monitor });
    const request = { action: 'start', kind, device: combinedDevice } as const;
    const begun = await toggle(who, request).catch(async (error: unknown) => {
      await undo();
      throw error;
    });
    const { recordingId } = begun;
    calls.answered(id, recordingId === null ? null : { id: recordingId, owner: who.owner });
    return begun;
  }
  const stopped = answer === 'stop' ? await toggle(who, { action: 'stop' }) : null;
  calls.answered(id);
  return stopped;
}
