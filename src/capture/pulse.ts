import { execFile } from 'node:child_process';
import { StageError } from '../stage-error.ts';
import {
  parseModules,
  parseSinks,
  parseSourceOutputs,
  parseSources,
  type PulseModule,
  type PulseSink,
  type PulseSource,
  type PulseSourceOutput,
} from './pulse-listing.ts';

/** PulseAudio, or PipeWire speaking its protocol, asked through `pactl` afresh each time. */
export type Pulse = {
  /** What records (microphones) and what plays on a loudspeaker (monitors). */
  sources(): Promise<{ microphones: PulseSource[]; monitors: PulseSource[] }>;
  /** Names of the defaults; null when the server has none. */
  defaults(): Promise<{ sink: string | null; source: string | null }>;
  setDefault(kind: 'sink' | 'source', name: string): Promise<void>;
  sinks(): Promise<PulseSink[]>;
  sourceOutputs(): Promise<PulseSourceOutput[]>;
  modules(): Promise<PulseModule[]>;
  /** Returns the module's index. */
  loadModule(name: string, args: readonly string[]): Promise<number>;
  /** Quietly does nothing when the module is gone already. */
  unloadModule(index: number): Promise<void>;
};

/**
 * Every call of it ends within `timeoutMs`, and
 * @throws {StageError} `no-audio-server`, `audio-server-silent`, `audio-server-refused`.
 */
export function openPulse({
  env = process.env,
  timeoutMs = 5000,
}: { env?: NodeJS.ProcessEnv | undefined; timeoutMs?: number | undefined } = {}): Pulse {
  const ask = (...args: string[]) => pactl(args, env, timeoutMs);
  return {
    async sources() {
      const all = parseSources(await ask('list', 'sources'));
      return {
        microphones: all.filter(({ monitorOf }) => monitorOf === null),
        monitors: all.filter(({ monitorOf }) => monitorOf !== null),
      };
    },
    async defaults() {
      const info = await ask('info');
      return { sink: named(info, 'Default Sink'), source: named(info, 'Default Source') };
    },
    async setDefault(kind, name) {
      await ask(`set-default-${kind}`, name);
    },
    sinks: async () => parseSinks(await ask('list', 'sinks')),
    sourceOutputs: async () => parseSourceOutputs(await ask('list', 'source-outputs')),
    modules: async () => parseModules(await ask('list', 'short', 'modules')),
    async loadModule(name, args) {
      const index = (await ask('load-module', name, ...args)).trim();
      if (!/^\d+$/.test(index)) throw refused(`loading ${name}`, index);
      return Number(index);
    },
    async unloadModule(index) {
      try {
        await ask('unload-module', String(index));
      } catch (error) {
        // Somebody was faster, or the server removed it with what it stood on.
        const left = await ask('list', 'short', 'modules');
        if (parseModules(left).some((module) => module.index === index)) throw error;
      }
    },
  };
}

/** The environment of every `pactl`: its words are parsed, so they must be English. */
export const pactlEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...env, LC_ALL: 'C' });

const outputBytesMax = 16 * 1024 * 1024;

function pactl(args: string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string> {
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: outputBytesMax } as const;
  return new Promise((resolve, reject) => {
    execFile('pactl', args, { env: pactlEnv(env), ...limits }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return reject(
          noServer('The program pactl is missing (Debian and Ubuntu: pulseaudio-utils).', error),
        );
      if (error.killed)
        return reject(
          new StageError(
            'audio-server-silent',
            `The audio server did not answer within ${timeoutMs / 1000} seconds.`,
            { retriable: true, cause: error },
          ),
        );
      if (/Connection (failure|refused|terminated)|pa_context_connect/i.test(stderr))
        return reject(noServer('Neither PulseAudio nor PipeWire is running.', error));
      return reject(refused(args[0] ?? '', stderr));
    });
  });
}

function named(info: string, field: string): string | null {
  const found = new RegExp(`^${field}: (.+)$`, 'm').exec(info)?.[1];
  // PipeWire without a session manager answers with the placeholder itself.
  return found === undefined || found.startsWith('@') ? null : found;
}

function noServer(why: string, cause: unknown): StageError {
  return new StageError('no-audio-server', why, { retriable: true, cause });
}

function refused(what: string, said: string): StageError {
  return new StageError('audio-server-refused', `The audio server refused: ${what}.`, {
    retriable: true,
    cause: new Error(said.slice(0, 2000)),
  });
}
