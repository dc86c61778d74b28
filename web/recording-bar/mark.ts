/** Marks the moment of what is recorded: a side note without words, at its second. */
import { ulid } from 'ulid';
import { announce } from '../app/announce.ts';
import { toast } from '../app/toasts.ts';
import { ApiError, answer, api } from '../client/api.ts';
import { connection } from '../client/feed.ts';
import type { Surface } from '../client/microphone/recording-surface.ts';
import { clock } from '../components/durations.ts';
import { words } from './words.ts';

/** In these what is said goes on and has a second. */
const marked = ['recording', 'network', 'memory', 'silent', 'room'];

export const mayMark = (now: Surface | null): now is Surface & { recordingId: string } =>
  now !== null && now.recordingId !== null && !now.isPaused && marked.includes(now.state);

/** At once; what the service does not hear is told again when it answers, once. */
export function markMoment({ recordingId: id, seconds }: Surface & { recordingId: string }): void {
  const at = Math.floor(seconds * 10) / 10;
  const key = ulid();
  const tell = async (): Promise<void> => {
    const header = { 'Idempotency-Key': key };
    try {
      await answer(
        api.POST('/recordings/{id}/sidenotes', {
          params: { path: { id }, header },
          body: { text: '', at, mark: true },
        }),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.problem.status === 0) return tellLater();
      toast(words.get().notMarked);
    }
  };
  const tellLater = (): void => {
    const stop = connection.listen(({ state }) => {
      if (state !== 'open') return;
      stop();
      void tell();
    });
  };
  const text = words.get().marked({ time: clock(at) });
  announce(text);
  void tell();
}
