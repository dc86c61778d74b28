import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pactlEnv } from './pulse.ts';

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
      // Without pactl there is nobody to listen to, and nothing to be told; without setpriv there may be.
      if (!leashed) return end();
      leashed = false;
      if (!signal.aborted) start();
    });
    started.once('exit', end);
    createInterface({ input: started.stdout })
      .on('error', end)
      .on('line', (line) => {
        const found = /^Event '(new|change|remove)' on ([a-z-]+) #(\d+)$/.exec(line);
        if (!found || found[2] === 'client') return;
        onEvent({ what: found[1] as PulseEvent['what'], on: found[2]!, index: Number(found[3]) });
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
