import { createHash } from 'node:crypto';
import type { PulseModule } from './pulse.ts';

/** What is joined: names of two sources of the audio server. */
export type CombinedSelection = { microphone: string; monitor: string };

/** `mix`: both in both channels. `split`: the microphone left, the loudspeakers right. */
export type CombinedChannels = 'mix' | 'split';

/** A module of the chain, in the form it is loaded and found again by. */
export type ChainModule = { name: string; args: string[]; role: ChainRole };
export type ChainRole = 'sink' | 'microphone' | 'monitor' | 'side';

/** Distinguishes the chains of several services on one machine; the same in every run of one. */
export const instanceOf = (dataRoot: string): string =>
  createHash('sha256').update(dataRoot).digest('hex').slice(0, 8);

export const combinedSink = (instance: string): string => `mitschrift_combined_${instance}`;
/** The source that a recording records from. */
export const combinedMonitor = (instance: string): string => `${combinedSink(instance)}.monitor`;

/**
 * The modules of a chain in the order they are loaded. Source and sink are always given: a loopback
 * without them takes the defaults, which may be the chain's own monitor. With `dont_move` a loopback
 * ends with its source or sink instead of being moved to others.
 */
export function combinedChain(
  instance: string,
  { microphone, monitor }: CombinedSelection,
  channels: CombinedChannels,
): ChainModule[] {
  const sink = combinedSink(instance);
  if (channels === 'mix') {
    return [
      { ...nullSink(sink, 'mitschrift-combined'), role: 'sink' },
      { ...loopback(microphone, sink), role: 'microphone' },
      { ...loopback(monitor, sink), role: 'monitor' },
    ];
  }
  // Each made one channel first: a loopback of one channel takes only that channel of its source, and
  // one that reads a `module-remap-source` wavers by some milliseconds (both measured).
  const [left, right] = sideSinks(instance);
  const mono = ['channels=1', 'channel_map=mono'];
  const stereo = ['channels=2', 'channel_map=front-left,front-right'];
  return [
    { ...nullSink(sink, 'mitschrift-combined', stereo), role: 'sink' },
    { ...nullSink(left, 'mitschrift-microphone', mono), role: 'side' },
    { ...nullSink(right, 'mitschrift-loudspeakers', mono), role: 'side' },
    { ...loopback(microphone, left), role: 'microphone' },
    { ...loopback(monitor, right), role: 'monitor' },
    { ...loopback(`${left}.monitor`, sink, 'channels=1', 'channel_map=front-left'), role: 'side' },
    {
      ...loopback(`${right}.monitor`, sink, 'channels=1', 'channel_map=front-right'),
      role: 'side',
    },
  ];
}

/** Modules that this instance loaded, whenever, in the order they are to be unloaded in. */
export function ownModules(instance: string, modules: readonly PulseModule[]): PulseModule[] {
  const sinks = [combinedSink(instance), ...sideSinks(instance)];
  const has = (module: PulseModule, argument: string) =>
    module.args.split(' ').some((word) => sinks.some((sink) => word === `${argument}=${sink}`));
  // Loopbacks first: PulseAudio would move them to another sink when theirs goes.
  return [
    ...modules.filter((module) => module.name === 'module-loopback' && has(module, 'sink')),
    ...modules.filter((module) => module.name === 'module-null-sink' && has(module, 'sink_name')),
  ];
}

/** The loaded module that is exactly this one. */
export const loaded = (
  wanted: ChainModule,
  modules: readonly PulseModule[],
): PulseModule | undefined =>
  modules.find(({ name, args }) => name === wanted.name && args === wanted.args.join(' '));

/** Sources that belong to a chain of any instance: joined with themselves they would feed back. */
export const isOwnSource = (name: string): boolean =>
  /^mitschrift_(combined|left|right)_/.test(name);

const sideSinks = (instance: string) =>
  [`mitschrift_left_${instance}`, `mitschrift_right_${instance}`] as const;

/** The description has no blanks: PipeWire would cut it at the first. */
const nullSink = (name: string, description: string, form: readonly string[] = []) => ({
  name: 'module-null-sink',
  args: [`sink_name=${name}`, ...form, `sink_properties=device.description=${description}`],
});

const loopback = (source: string, sink: string, ...form: string[]) => ({
  name: 'module-loopback',
  args: [
    `source=${source}`,
    `sink=${sink}`,
    'latency_msec=200',
    'sink_dont_move=yes',
    'source_dont_move=yes',
    ...form,
  ],
});
