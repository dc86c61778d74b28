import { StageError } from '../stage-error.ts';
import { openPulse } from './pulse.ts';
import { watchPulse } from './watch-pulse.ts';

/**
 * Watches that this process keeps recording from one source. When a source vanishes the audio server
 * moves its recorders to another one without a word: from the microphone to the loudspeakers, say.
 * @param onMoved with the name of the source it was moved to.
 * @param onServerGone the server has ended, and every stream with it.
 */
export function watchStream(options: {
  source: string;
  env?: NodeJS.ProcessEnv | undefined;
  signal: AbortSignal;
  onMoved(source: string): void;
  onServerGone(): void;
}): void {
  const { source, env, signal, onMoved, onServerGone } = options;
  const pulse = openPulse({ env });
  let checking = false;
  let again = false;

  const check = async () => {
    again = true;
    if (checking) return;
    checking = true;
    try {
      while (again && !signal.aborted) {
        again = false;
        const mine = (await pulse.sourceOutputs()).filter(
          ({ processId }) => processId === process.pid,
        );
        if (mine.length === 0) continue;
        const { microphones, monitors } = await pulse.sources();
        const names = new Map([...microphones, ...monitors].map((one) => [one.index, one.name]));
        const other = mine.map((one) => names.get(one.source)).find((name) => name !== source);
        if (other !== undefined && !signal.aborted) onMoved(other);
      }
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      // A server that hangs is noticed by the data that does not come.
      if (error.code === 'no-audio-server' && !signal.aborted) onServerGone();
    } finally {
      checking = false;
    }
  };

  watchPulse({
    env,
    signal,
    onEvent({ on }) {
      if (on === 'source' || on === 'source-output' || on === 'server') void check();
    },
    // pactl itself may have ended; the server says whether it is there.
    onAway: () => void check(),
  });
}
