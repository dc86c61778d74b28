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

/** How a chain is made. `cancelled`: what the microphone hears of the loudspeakers is taken out of it. */
export type ChainForm = { channels: CombinedChannels; cancelled: boolean };

/**
 * The modules of a chain in the order they are loaded. Source and sink are always given: a loopback
 * without them takes the defaults, which may be the chain's own monitor. With `dont_move` a loopback
 * ends with its source or sink instead of being moved to others.
 */
export function combinedChain(
  instance: string,
  { microphone, monitor }: CombinedSelection,
  { channels, cancelled }: ChainForm,
): ChainModule[] {
  const sink = combinedSink(instance);
  if (channels === 'mix' && !cancelled) {
    return [
      { ...nullSink(sink, 'mitschrift-combined'), role: 'sink' },
      { ...loopback(microphone, sink), role: 'microphone' },
      { ...loopback(monitor, sink), role: 'monitor' },
    ];
  }
  // Each made one channel first: a loopback of one channel takes only that channel of its source, and
  // one that reads a `module-remap-source` wavers by some milliseconds (both measured).
  const { left, right, clean, played } = sidesOf(instance);
  const stereo = ['channels=2', 'channel_map=front-left,front-right'];
  const channel = (name: string) =>
    channels === 'split' ? ['channels=1', `channel_map=front-${name}`] : [];
  return [
    { ...nullSink(sink, 'mitschrift-combined', channels === 'split' ? stereo : []), role: 'sink' },
    { ...nullSink(left, 'mitschrift-microphone', mono), role: 'side' },
    { ...nullSink(right, 'mitschrift-loudspeakers', mono), role: 'side' },
    { ...loopback(microphone, left), role: 'microphone' },
    ...(cancelled ? [{ ...echoCancelling(instance), role: 'side' as const }] : []),
    { ...loopback(monitor, cancelled ? played : right), role: 'monitor' },
    {
      ...loopback(cancelled ? clean : `${left}.monitor`, sink, ...channel('left')),
      role: 'side',
    },
    { ...loopback(`${right}.monitor`, sink, ...channel('right')), role: 'side' },
  ];
}

/** Modules that this instance loaded, whenever, in the order they are to be unloaded in. */
export function ownModules(instance: string, modules: readonly PulseModule[]): PulseModule[] {
  const { left, right, clean, played } = sidesOf(instance);
  const sinks = [combinedSink(instance), left, right, played];
  const named = (name: string, argument: string, values: readonly string[]) =>
    modules.filter((module) => {
      if (module.name !== name) return false;
      return module.args.split(' ').some((word) => values.some((v) => word === `${argument}=${v}`));
    });
  // Loopbacks first: PulseAudio would move them to another sink when theirs goes.
  return [
    ...named('module-loopback', 'sink', sinks),
    ...named(cancelModule, 'source_name', [clean]),
    ...named('module-null-sink', 'sink_name', sinks),
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
  /^mitschrift_(combined|left|right|clean|played)_/.test(name);

const mono = ['channels=1', 'channel_map=mono'];

/** Names of the sinks and the source between what is joined and the combined sink. */
const sidesOf = (instance: string) => ({
  left: `mitschrift_left_${instance}`,
  right: `mitschrift_right_${instance}`,
  clean: `mitschrift_clean_${instance}`,
  played: `mitschrift_played_${instance}`,
});

export const cancelModule = 'module-echo-cancel';

/**
 * What is played into its sink goes on to the right side, and is taken out of its source, the left side. Microphone and
 * loudspeakers come by loopbacks of one latency, so that an echo is never earlier than what it is of. Of WebRTC's
 * processing only the cancellation: levels stay as they were.
 */
const echoCancelling = (instance: string) => {
  const { left, right, clean, played } = sidesOf(instance);
  return {
    name: cancelModule,
    args: [
      `source_name=${clean}`,
      `source_master=${left}.monitor`,
      `sink_name=${played}`,
      `sink_master=${right}`,
      ...mono,
      'rate=16000',
      'aec_method=webrtc',
      `aec_args="${['analog_gain_control', 'digital_gain_control', 'noise_suppression', 'high_pass_filter'].map((one) => `${one}=0`).join(' ')} extended_filter=1"`,
    ],
  };
};

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
