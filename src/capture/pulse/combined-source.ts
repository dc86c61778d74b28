import * as z from 'zod';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists, writeDurably } from '../../shared/files.ts';
import { readJsonFile } from '../../shared/json.ts';
import { StageError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { failure } from '../../words/failures.ts';
import {
  type ChainModule,
  type CombinedChannels,
  type CombinedSelection,
  cancelModule,
  combinedChain,
  combinedSink,
  isOwnSource,
  loaded,
  ownModules,
} from './combined-chain.ts';
import type { Pulse } from './pulse.ts';
import { mutex } from '../../shared/mutex.ts';

/**
 * What settings say of a chain. `cancelsEcho`: what the microphone hears of the loudspeakers is taken out
 * (`audio.echo_cancellation`).
 */
export type CombinedForm = { channels: CombinedChannels; cancelsEcho: boolean };

/** Microphone and loudspeakers joined into one source: a null sink that two loopbacks feed. */
export type CombinedSource = {
  /** The two names that were selected; null when none were. */
  selection(): Promise<CombinedSelection | null>;
  /** The form that the settings say now. */
  formNow(): CombinedForm;
  /**
   * Checks and remembers the two names and builds the chain. Where that fails the names are those that were.
   * @returns indices of the modules: sink, loopback of the microphone, loopback of the monitor.
   * @throws {StageError} as `build`.
   */
  select(selection: CombinedSelection): Promise<number[]>;
  /**
   * Checks and remembers the two names, for the next `build`.
   * @returns remembers those that were instead
   * @throws {StageError} as `build`
   */
  remember(selection: CombinedSelection): Promise<() => Promise<void>>;
  /**
   * Builds what of the chain is not there; the user's defaults stay what they were.
   * @returns as `select`.
   * @throws {StageError} `nothing-combined`, `source-gone` (naming it), `combined-with-itself`,
   *   `not-a-monitor`, `no-audio-server`, `audio-server-silent`, `audio-server-refused`.
   */
  build(form?: CombinedForm): Promise<number[]>;
  /** Whether the whole chain stands, in a form as for `build`. */
  stands(form?: CombinedForm): Promise<boolean>;
  /** Unloads what this instance ever loaded, also in an earlier life. */
  teardown(): Promise<void>;
  /** Tears the chain down and forgets the names. */
  forget(): Promise<void>;
};

/** One at a time: two at once would each miss what the other has just loaded. */
export function combinedSource(given: CombinedHost): CombinedSource {
  const host: Host = { ...given, refusesCancelling: false };
  const { path, pulse } = host;
  const inTurn = mutex();
  const selected = async () => (await readJsonFile(path, selectionSchema)) ?? null;
  const formNow = () => ({ channels: host.channels(), cancelsEcho: host.cancelsEcho() });

  return {
    formNow,
    selection: selected,
    select: (selection) =>
      inTurn(async () => {
        await check(host, selection);
        const before = await selected();
        // First: a chain without names, which a kill would leave, is never taken down.
        await writeSelection(path, selection);
        try {
          return await build(host, selection, formNow());
        } catch (error) {
          await writeSelection(path, before);
          throw error;
        }
      }),
    remember: (selection) =>
      inTurn(async () => {
        await check(host, selection);
        const before = await selected();
        await writeSelection(path, selection);
        return () => inTurn(() => writeSelection(path, before));
      }),
    build: (form = formNow()) =>
      inTurn(async () => {
        const selection = await selected();
        if (!selection) throw new StageError(failure('combined-not-chosen'), { retriable: false });
        const gone = await missing(host, selection);
        if (gone) await unloadLoopbackOf(host, gone);
        await check(host, selection);
        return await build(host, selection, form);
      }),
    stands: (form = formNow()) =>
      inTurn(async () => {
        const selection = await selected();
        if (!selection) return false;
        const modules = await pulse.modules();
        if (!wanted(host, selection, form).every((module) => loaded(module, modules))) return false;
        // PipeWire keeps a loopback whose source has gone, and lets it take another source.
        return (await missing(host, selection)) === null;
      }),
    teardown: () =>
      inTurn(async () => {
        // Names are remembered before anything is built: without them there is nothing, and the audio
        // server, which may take its time, need not be asked.
        if (await exists(path)) await teardown(host);
      }),
    forget: () =>
      inTurn(async () => {
        await teardown(host);
        await writeSelection(path, null);
      }),
  };
}

/** What the chain is built on. */
type CombinedHost = {
  /** `<data>/combined.json`: the two names and nothing else. */
  path: string;
  instance: string;
  pulse: Pulse;
  channels: () => CombinedChannels;
  cancelsEcho: () => boolean;
  log?: Pick<Log, 'warn'>;
};

/** `refusesCancelling`: the audio server has no such module, so the chain is made without. */
type Host = CombinedHost & { refusesCancelling: boolean };

const wanted = (
  host: Host,
  selection: CombinedSelection,
  { channels, cancelsEcho }: CombinedForm,
): ChainModule[] =>
  combinedChain(host.instance, selection, {
    channels,
    cancelled: cancelsEcho && !host.refusesCancelling,
  });

const writeSelection = (path: string, selection: CombinedSelection | null): Promise<void> =>
  selection === null
    ? rm(path, { force: true })
    : writeDurably(path, `${JSON.stringify(selection)}\n`);

/** Both servers take a loopback from nowhere: PipeWire even without an error. So it is looked first. */
async function check(host: Host, { microphone, monitor }: CombinedSelection): Promise<void> {
  if (microphone === monitor || isOwnSource(microphone) || isOwnSource(monitor)) {
    throw new StageError(failure('combined-with-itself'), { retriable: false });
  }
  const gone = await missing(host, { microphone, monitor });
  if (gone) {
    const code = gone === microphone ? 'combined-microphone-gone' : 'combined-speakers-gone';
    throw new StageError(failure(code, { device: gone }), { retriable: true });
  }
  const { monitors } = await host.pulse.sources();
  if (!monitors.some(({ name }) => name === monitor)) {
    throw new StageError(failure('not-a-speaker', { device: monitor }), { retriable: false });
  }
}

/** The one of the two that is not there. */
async function missing(
  { pulse }: Host,
  { microphone, monitor }: CombinedSelection,
): Promise<string | null> {
  const { microphones, monitors } = await pulse.sources();
  const names = new Set([...microphones, ...monitors].map(({ name }) => name));
  return [microphone, monitor].find((name) => !names.has(name)) ?? null;
}

/** What had vanished is heard again only by a new loopback: the one it had may hear another source. */
async function unloadLoopbackOf({ instance, pulse }: Host, source: string): Promise<void> {
  for (const { args, index } of ownModules(instance, await pulse.modules())) {
    if (args.split(' ').includes(`source=${source}`)) await pulse.unloadModule(index);
  }
}

/** Not every audio server has the module that cancels echoes: without it the rest is as good. */
async function build(
  host: Host,
  selection: CombinedSelection,
  form: CombinedForm,
): Promise<number[]> {
  try {
    return await buildChain(host, wanted(host, selection, form));
  } catch (error) {
    if (!(error instanceof CancellingRefused)) throw error;
    host.log?.warn({ err: error.cause }, 'echoes are not cancelled: the audio server refused it');
    host.refusesCancelling = true;
    return await buildChain(host, wanted(host, selection, form));
  }
}

class CancellingRefused extends Error {}

async function load(pulse: Pulse, { name, args }: ChainModule): Promise<number> {
  return await pulse.loadModule(name, args).catch((error: unknown) => {
    if (name !== cancelModule || !(error instanceof StageError)) throw error;
    if (error.code !== 'audio-server-refused') throw error;
    throw new CancellingRefused('no echo cancellation', { cause: error });
  });
}

/**
 * A new chain that cancels echoes drops what does not fit while its loopbacks find their latency: up to a second of
 * speech, within the first 1.2 s (PulseAudio 16.1). Nobody is told that it records before that is over.
 */
const cancellingSettlesMs = 1_500;

async function buildChain(host: Host, chain: readonly ChainModule[]): Promise<number[]> {
  const { instance, pulse } = host;
  const before = await pulse.defaults();
  const present = await pulse.modules();
  // Without its sink the rest of a chain is of no use, whatever the server left of it.
  const whole = chain.some((module) => module.role === 'sink' && loaded(module, present));
  const kept = whole ? chain.map((module) => loaded(module, present)) : [];
  for (const stale of ownModules(instance, present).filter((own) => !kept.includes(own))) {
    await pulse.unloadModule(stale.index);
  }
  const indices: number[] = [];
  const mine: number[] = [];
  try {
    for (const [at, module] of chain.entries()) {
      const index = kept[at]?.index ?? (await load(pulse, module));
      if (!kept[at]) mine.unshift(index);
      if (module.role !== 'side') indices.push(index);
      if (module.role === 'sink') await assertSinkName(host, index);
    }
    await keepDefaults(host, before);
    const settles = chain.some(({ name }, at) => name === cancelModule && !kept[at]);
    if (settles) await sleep(cancellingSettlesMs);
  } catch (error) {
    // The first error is the one to throw; what stays is torn down with the rest.
    for (const index of mine) await pulse.unloadModule(index).catch(() => undefined);
    throw error;
  }
  return indices;
}

/** Of two sinks with one name the second is renamed, or there are two: neither can be relied upon. */
async function assertSinkName({ instance, pulse }: Host, index: number): Promise<void> {
  const named = (await pulse.sinks()).filter(({ name }) => name === combinedSink(instance));
  if (named.length === 1 && named[0]?.ownerModule === index) return;
  throw new StageError(failure('combined-name-taken'), { retriable: true });
}

/** Some servers make what was loaded last the default. */
async function keepDefaults(
  { pulse }: Host,
  before: Awaited<ReturnType<Pulse['defaults']>>,
): Promise<void> {
  const after = await pulse.defaults();
  for (const kind of ['sink', 'source'] as const) {
    const name = before[kind];
    if (name === null || after[kind] === name) continue;
    const { microphones, monitors } = await pulse.sources();
    const there = kind === 'source' ? [...microphones, ...monitors] : await pulse.sinks();
    if (there.some((one) => one.name === name)) await pulse.setDefault(kind, name);
  }
}

async function teardown({ instance, pulse }: Host): Promise<void> {
  for (const { index } of ownModules(instance, await pulse.modules())) {
    await pulse.unloadModule(index);
  }
  const left = ownModules(instance, await pulse.modules());
  if (left.length > 0) {
    throw new StageError(failure('combined-not-removed'), { retriable: true });
  }
}

const selectionSchema = z.strictObject({ microphone: z.string(), monitor: z.string() });
