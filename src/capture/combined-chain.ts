import { createHash } from 'node:crypto';
import type { PulseModule } from './pulse-listing.ts';

/** What is joined: names of two sources of the audio server. */
export type CombinedSelection = { microphone: string; monitor: string };

/** `mix`: both in both channels. `split`: the microphone left, the loudspeakers right. */
export type CombinedChannels = 'mix' | 'split';

/** A module of the chain, in the form it is loaded and found again by. */
export type ChainModule = { name: string; args: string[]; role: ChainRole };
export type ChainRole = 'sink' | 'remap' | 'microphone' | 'monitor';

/** Tells the chains of several services on one machine apart; the same in every run of one. */
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
  const described = 'sink_properties=device.description=mitschrift-combined';
  const loopback = (role: 'microphone' | 'monitor', source: string, ...more: string[]) => ({
    name: 'module-loopback',
    args: [
      `source=${source}`,
      `sink=${sink}`,
      'latency_msec=200',
      'sink_dont_move=yes',
      'source_dont_move=yes',
      ...more,
    ],
    role,
  });
  if (channels === 'mix') {
    return [
      { name: 'module-null-sink', args: [`sink_name=${sink}`, described], role: 'sink' },
      loopback('microphone', microphone),
      loopback('monitor', monitor),
    ];
  }
  // Each made mono first: a loopback of one channel takes only that channel of its source (measured).
  const remap = (name: string, master: string): ChainModule => ({
    name: 'module-remap-source',
    args: [`source_name=${name}`, `master=${master}`, 'channels=1', 'channel_map=mono'],
    role: 'remap',
  });
  const [left, right] = remapNames(instance);
  return [
    {
      name: 'module-null-sink',
      args: [`sink_name=${sink}`, 'channels=2', 'channel_map=front-left,front-right', described],
      role: 'sink',
    },
    remap(left, microphone),
    remap(right, monitor),
    loopback('microphone', left, 'channels=1', 'channel_map=front-left'),
    loopback('monitor', right, 'channels=1', 'channel_map=front-right'),
  ];
}

/** Modules that this instance loaded, whenever, in the order they are to be unloaded in. */
export function ownModules(instance: string, modules: readonly PulseModule[]): PulseModule[] {
  const sink = combinedSink(instance);
  const marks: Record<string, readonly string[]> = {
    'module-loopback': [`sink=${sink}`],
    'module-remap-source': remapNames(instance).map((name) => `source_name=${name}`),
    'module-null-sink': [`sink_name=${sink}`],
  };
  // Loopbacks first: PulseAudio would move them to another sink when theirs goes.
  return Object.entries(marks).flatMap(([name, arguments_]) =>
    modules.filter(
      (module) =>
        module.name === name && module.args.split(' ').some((word) => arguments_.includes(word)),
    ),
  );
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

const remapNames = (instance: string) =>
  [`mitschrift_left_${instance}`, `mitschrift_right_${instance}`] as const;
