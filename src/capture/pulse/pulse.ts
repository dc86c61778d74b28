import { execFile } from 'node:child_process';
import { watchForHang } from '../hung-process.ts';
import { StageError, hasCode } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';

/** PulseAudio, or PipeWire speaking its protocol, asked through `pactl` afresh each time. */
export type Pulse = {
  /** What records (microphones) and what plays on a loudspeaker (monitors). */
  sources(): Promise<{ microphones: PulseSource[]; monitors: PulseSource[] }>;
  /** Names of the defaults; null when the server has none. */
  defaults(): Promise<{ sink: string | null; source: string | null }>;
  setDefault(kind: 'sink' | 'source', name: string): Promise<void>;
  sinks(): Promise<PulseSink[]>;
  sourceOutputs(): Promise<PulseSourceOutput[]>;
  /** What programs play. */
  sinkInputs(): Promise<PulseSinkInput[]>;
  modules(): Promise<PulseModule[]>;
  /** Returns the module's index. */
  loadModule(name: string, args: readonly string[]): Promise<number>;
  /** Quietly does nothing when the module is gone already. */
  unloadModule(index: number): Promise<void>;
};

/**
 * A call in which `pactl` does nothing for `timeoutMs` is given up, one that is merely slow at ten times that, and
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
    sinkInputs: async () => parseSinkInputs(await ask('list', 'sink-inputs')),
    modules: async () => parseModules(await ask('list', 'short', 'modules')),
    async loadModule(name, args) {
      const index = (await ask('load-module', name, ...args)).trim();
      if (!/^\d+$/.test(index)) throw refused(`load-module ${name}`, index);
      return Number(index);
    },
    async unloadModule(index) {
      try {
        await ask('unload-module', String(index));
      } catch (error) {
        // Another process was faster, or the server removed it with what it stood on.
        const left = await ask('list', 'short', 'modules');
        if (parseModules(left).some((module) => module.index === index)) throw error;
      }
    },
  };
}

/** The environment of every `pactl`: its words are parsed, so they must be English. */
export const pactlEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...env, LC_ALL: 'C' });

const outputBytesMax = 16 * 1024 * 1024;
/** Reads what `pactl list` prints under `LC_ALL=C`. Pure. */

export type PulseSource = {
  index: number;
  name: string;
  description: string;
  /** Name of the sink this source is the monitor of; null for a microphone. */
  monitorOf: string | null;
};

export type PulseModule = { index: number; name: string; args: string };

/**
 * The sources of `pactl list sources`. The long listing and not the JSON one: `pactl` 16.1 writes
 * `(null)` into JSON for every description that is not plain ASCII.
 */
export function parseSources(listing: string): PulseSource[] {
  return blocks(listing, 'Source').flatMap(({ index, fields }) => {
    const name = fields.get('Name');
    if (name === undefined) return [];
    const monitorOf = fields.get('Monitor of Sink') ?? 'n/a';
    return [
      {
        index,
        name,
        description: fields.get('Description') ?? name,
        monitorOf: monitorOf === 'n/a' ? null : monitorOf,
      },
    ];
  });
}

export function parseSourceOutputs(listing: string): PulseSourceOutput[] {
  return blocks(listing, 'Source Output').flatMap((block) => {
    const source = integer(block.fields.get('Source'));
    return source === null ? [] : [{ ...streamOf(block), source }];
  });
}

export function parseSinkInputs(listing: string): PulseSinkInput[] {
  return blocks(listing, 'Sink Input').flatMap((block) => {
    const sink = integer(block.fields.get('Sink'));
    return sink === null ? [] : [{ ...streamOf(block), sink }];
  });
}

/**
 * The modules of `pactl list short modules`: index, name and arguments between tabs. Arguments of
 * PipeWire's own modules span lines; those lines are left out.
 */
export function parseModules(listing: string): PulseModule[] {
  return [...listing.matchAll(/^(\d+)\t(module-[^\t\n]*)\t([^\t\n]*)/gm)].map(
    ([, index, name = '', args = '']) => ({ index: Number(index), name, args }),
  );
}

const integer = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : null;

function pactl(args: string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string> {
  const options = { env: pactlEnv(env), maxBuffer: outputBytesMax };
  return new Promise((resolve, reject) => {
    let stopWatching = () => {};
    const child = execFile('pactl', args, options, (error, stdout, stderr) => {
      stopWatching();
      if (!error) return resolve(stdout);
      if (hasCode(error, 'ENOENT'))
        return reject(new StageError(failure('pactl-missing'), { retriable: true, cause: error }));
      if (error.killed)
        return reject(
          new StageError(failure('audio-server-silent', { limit: timeoutMs / 1000 }), {
            retriable: true,
            cause: error,
          }),
        );
      if (/Connection (failure|refused|terminated)|pa_context_connect/i.test(stderr))
        return reject(
          new StageError(failure('no-audio-server'), { retriable: true, cause: error }),
        );
      return reject(refused(args[0] ?? '', stderr));
    });
    const limits = { idleMs: timeoutMs, mostMs: timeoutMs * 10 };
    const kill = () => void child.kill('SIGKILL');
    if (child.pid) stopWatching = watchForHang(child.pid, limits, kill);
  });
}

function named(info: string, field: string): string | null {
  const found = new RegExp(`^${field}: (.+)$`, 'm').exec(info)?.[1];
  // PipeWire without a session manager answers with the placeholder itself.
  return found === undefined || found.startsWith('@') ? null : found;
}

function refused(command: string, said: string): StageError {
  return new StageError(failure('audio-server-refused', { command }), {
    retriable: true,
    cause: new Error(said.slice(0, 2000)),
  });
}

type PulseSink = { index: number; name: string; description: string; ownerModule: number | null };

/** A stream of a program, or of a module of the audio server itself. */
type PulseStream = {
  index: number;
  processId: number | null;
  /** The program by its file (else its name) and as it calls itself; null for modules. */
  program: { id: string; name: string } | null;
  /** Corked: the program has stopped the stream for now. */
  isPaused: boolean;
};
/** What is recorded from a source. */
type PulseSourceOutput = PulseStream & { source: number };
/** What is played into a sink. */
export type PulseSinkInput = PulseStream & { sink: number };

function streamOf({ index, fields, text }: Block): PulseStream {
  const property = (key: string) => new RegExp(`^\\t\\t${key} = "(.*)"$`, 'm').exec(text)?.[1];
  const name = property('application\\.name');
  // A loopback is a module's, not a client's.
  const isModule = integer(fields.get('Client')) === null;
  const id = property('application\\.process\\.binary') ?? name;
  return {
    index,
    processId: integer(property('application\\.process\\.id')),
    program: isModule || id === undefined ? null : { id, name: name ?? id },
    isPaused: fields.get('Corked') === 'yes',
  };
}

function parseSinks(listing: string): PulseSink[] {
  return blocks(listing, 'Sink').flatMap(({ index, fields }) => {
    const name = fields.get('Name');
    if (name === undefined) return [];
    const description = fields.get('Description') ?? name;
    return [{ index, name, description, ownerModule: integer(fields.get('Owner Module')) }];
  });
}

type Block = { index: number; fields: Map<string, string>; text: string };

/** Fields of an entry stand behind exactly one tab; the first of a name counts. */
function blocks(listing: string, kind: string): Block[] {
  const heads = [...listing.matchAll(new RegExp(`^${kind} #(\\d+)$`, 'gm'))];
  return heads.map((head, at) => {
    const text = listing.slice(head.index, heads[at + 1]?.index);
    const fields = new Map<string, string>();
    for (const [, name = '', value = ''] of text.matchAll(/^\t([^\t:][^:\n]*): ?(.*)$/gm)) {
      if (!fields.has(name)) fields.set(name, value);
    }
    return { index: Number(head[1]), fields, text };
  });
}
