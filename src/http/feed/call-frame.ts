import type { Caller } from '../../accounts/caller.ts';
import type { HttpServices } from '../services.ts';

type Asked = Pick<HttpServices, 'calls' | 'settings'>;

/** Whether a person at this computer may record with its devices, and so is asked about calls. */
export const mayAnswerCalls = (
  { settings }: Pick<Asked, 'settings'>,
  { isAdmin }: Pick<Caller, 'isAdmin'>,
): boolean => isAdmin || settings()['audio.recorders'] !== 'administrators';

/** What is asked of this person now; null: nothing. Of the end of a call only whose recording it is, is asked. */
export function callShown(
  services: Asked,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
): { id: string; ask: 'record' | 'stop'; program: string; recording_id: string | null } | null {
  const question = services.calls.question();
  if (question === null || !mayAnswerCalls(services, caller)) return null;
  const { id, ask, name, recording } = question;
  if (recording !== null && recording.owner !== caller.userId) return null;
  return { id, ask, program: name, recording_id: recording?.id ?? null };
}

/** The frame that tells of it. */
export const callFrame = (services: Asked, caller: Pick<Caller, 'userId' | 'isAdmin'>): string =>
  JSON.stringify({ type: 'call', question: callShown(services, caller) });
