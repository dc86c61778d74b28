import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

/** The audio servers that tests run against: PulseAudio, and PipeWire that speaks its protocol. */
export type AudioServerName = 'pulseaudio' | 'pipewire';

/** A server in a private runtime directory, with the given modules loaded into it. */
export type AudioServer = {
  start(): Promise<void>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends what outlives a killed server. */
  dispose(): Promise<void>;
};

type Parts = {
  env: NodeJS.ProcessEnv;
  /** `<module> <arguments>`, in the order they are to be loaded in. */
  modules: readonly string[];
  pactl(...args: string[]): Promise<string>;
  /** False: a PipeWire whose session manager does not run, and that has no modules. */
  managed?: boolean;
};

export const audioServer = (name: AudioServerName, parts: Parts): AudioServer =>
  name === 'pipewire' ? pipewire(parts) : pulseaudio(parts);

function pulseaudio({ env, modules, pactl }: Parts): AudioServer {
  const daemons = processes(env);
  const plain = '-n --daemonize=no --exit-idle-time=-1 --disable-shm=yes'.split(' ');
  return {
    ...daemons,
    async start() {
      const loads = ['module-native-protocol-unix', ...modules].map((one) => `--load=${one}`);
      daemons.run('pulseaudio', ...plain, ...loads);
      await answers(pactl);
    },
    dispose: daemons.kill,
  };
}

/** Without a session bus wireplumber ends, and without wireplumber nothing is connected to anything. */
function pipewire({ env, modules, pactl, managed = true }: Parts): AudioServer {
  const runtime = env['XDG_RUNTIME_DIR']!;
  const address = `unix:path=${join(runtime, 'bus')}`;
  const own = { ...env, DBUS_SESSION_BUS_ADDRESS: address };
  const bus = processes(own);
  const daemons = processes(own);
  // A killed server leaves its socket: that there is one says nothing yet.
  const answersAt = (name: string) =>
    eventually(
      `somebody answers at ${name}`,
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(join(runtime, name));
          socket.once('error', () => resolve(false));
          socket.once('connect', () => {
            socket.destroy();
            resolve(true);
          });
        }),
    );
  let busStands = false;
  return {
    ...daemons,
    async start() {
      if (!busStands) bus.run('dbus-daemon', '--session', '--nofork', `--address=${address}`);
      busStands = true;
      await answersAt('bus');
      daemons.run('pipewire');
      await answersAt('pipewire-0');
      if (managed) daemons.run('wireplumber');
      daemons.run('pipewire-pulse');
      await answers(pactl);
      if (!managed) return;
      for (const module of modules) {
        // The quotes are for the server to read.
        await pactl('load-module', ...module.match(/(?:[^\s']|'[^']*')+/g)!);
      }
      await eventually('the session manager has chosen the defaults', async () => {
        const { stdout } = await run('pactl', ['info'], { env: { ...own, LC_ALL: 'C' } });
        return !stdout.includes('@DEFAULT_SINK@') && !stdout.includes('@DEFAULT_SOURCE@');
      });
    },
    async dispose() {
      await daemons.kill();
      await bus.kill();
    },
  };
}

const answers = (pactl: Parts['pactl']) =>
  eventually('the audio server answers', () =>
    pactl('info').then(
      () => true,
      () => false,
    ),
  );

function processes(env: NodeJS.ProcessEnv) {
  let running: ChildProcess[] = [];
  return {
    run(program: string, ...args: string[]) {
      running.push(spawn(program, args, { env, stdio: 'ignore' }));
    },
    async kill() {
      const dying = running;
      running = [];
      for (const child of dying) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      }
    },
    signal(signal: 'SIGSTOP' | 'SIGCONT') {
      for (const child of running) child.kill(signal);
    },
  };
}
