import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { openPulse, pactlEnv } from './pulse.ts';
import { StageError } from '../../shared/errors.ts';
import { onceMore } from '../../shared/once-more.ts';

/** What changed: `change` on `source-output` `7`, and the like. */
export type PulseEvent = { what: 'new' | 'change' | 'remove'; on: string; index: number };

/** Ends what follows with its parent, setpriv(1) of util-linux: `pactl subscribe` itself never would. */
const leash = ['setpriv', '--pdeathsig', 'KILL'];
/** Between two attempts to listen to a server that is not there, milliseconds. */
const restartMs = 500;

/**
 * Listens to the audio server by `pactl subscribe`, which is started again whenever it ends, until
 * `signal` aborts. Events of clients are left out: every call of `pactl` makes some.
 * @param onAway the server is gone, or could not be reached: called once each time `pactl` ends.
 */
export function watchPulse(options: {
  env?: NodeJS.ProcessEnv | undefined;
  signal: AbortSignal;
  onEvent(event: PulseEvent): void;
  onAway(): void;
}): void {
  const { env = process.env, signal, onEvent, onAway } = options;
  let child: ChildProcess | undefined;
  let leashed = process.platform === 'linux';
  let timer: NodeJS.Timeout | undefined;

  const start = () => {
    const [program, ...args] = [...(leashed ? leash : []), 'pactl', 'subscribe'];
    const started = spawn(program, args, {
      env: pactlEnv(env),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = started;
    let ended = false;
    const end = () => {
      if (ended || signal.aborted) return;
      ended = true;
      onAway();
      timer = setTimeout(start, restartMs);
    };
    started.once('error', () => {
      // Without pactl there is nothing to listen to; without setpriv there may be.
      if (!leashed) return end();
      leashed = false;
      if (!signal.aborted) start();
    });
    started.once('exit', end);
    createInterface({ input: started.stdout })
      .on('error', end)
      .on('line', (line) => {
        const [, what, on, index] =
          /^Event '(new|change|remove)' on ([a-z-]+) #(\d+)$/.exec(line) ?? [];
        if (on === undefined || on === 'client') return;
        onEvent({ what: what as PulseEvent['what'], on, index: Number(index) });
      });
  };
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer);
      child?.kill('SIGKILL');
    },
    { once: true },
  );
  if (!signal.aborted) start();
}

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

  const check = onceMore(async () => {
    if (signal.aborted) return;
    try {
      const mine = (await pulse.sourceOutputs()).filter(
        ({ processId }) => processId === process.pid,
      );
      if (mine.length === 0) return;
      const { microphones, monitors } = await pulse.sources();
      const names = new Map([...microphones, ...monitors].map((one) => [one.index, one.name]));
      const other = mine.map((one) => names.get(one.source)).find((name) => name !== source);
      if (other !== undefined && !signal.aborted) onMoved(other);
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      // A server that hangs is noticed by the data that does not come.
      if (error.code === 'no-audio-server' && !signal.aborted) onServerGone();
    }
  });

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
