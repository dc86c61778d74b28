import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { combinedDevice } from '../capture/device/alsa-config.ts';
import { recordableDevices } from '../capture/device/devices.ts';
import { combinedMonitor, instanceOf } from '../capture/pulse/combined-chain.ts';
import { type CombinedSource, combinedSource } from '../capture/pulse/combined-source.ts';
import { type Pulse, openPulse } from '../capture/pulse/pulse.ts';
import type { Settings } from '../config/schema.ts';
import { StageError } from '../shared/errors.ts';
import { isInstalled } from '../shared/package.ts';
import { type LookedAt, type Look, type Remedy, asLimited, asMissing, asOk } from './check.ts';
import { buildRemedy } from './build-tools.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { guideLink } from './guide.ts';

/** Longer than `pactl` and the listing of devices are given where they are asked. */
const soundMs = 60_000;
const needs = guideLink('readme', 'What it needs');

type SoundSettings = Pick<
  Settings,
  'audio.device' | 'audio.combined_channels' | 'audio.echo_cancellation'
>;

/** What records sound here: the audio server, devices, and the source that joins two of them. */
export function soundLooks(dataRoot: string, settings: SoundSettings): Look[] {
  const pulse = openPulse();
  const instance = instanceOf(dataRoot);
  const combined = combinedSource({
    path: join(dataRoot, 'combined.json'),
    instance,
    pulse,
    channels: () => settings['audio.combined_channels'],
    cancelsEcho: () => settings['audio.echo_cancellation'],
  });
  const options = {
    configPath: join(dataRoot, 'asound.conf'),
    combinedSource: combinedMonitor(instance),
  };
  const listed = () => recordableDevices(combined, options);
  return [
    {
      id: 'audio-server',
      link: needs,
      limitMs: soundMs,
      look: () => audioServer(pulse),
    },
    {
      id: 'devices',
      link: guideLink('recording', 'Recording: hotkey, tray, browser'),
      limitMs: soundMs,
      look: () => devices(listed, settings['audio.device']),
    },
    {
      id: 'combined',
      link: guideLink('recording', 'Recording: hotkey, tray, browser'),
      limitMs: soundMs,
      look: () => joined(pulse, combined, settings['audio.device']),
    },
  ];
}

/** What mends an audio server that is silent or away: on a server without a session there is none to restart. */
export function audioServerRemedy(env: NodeJS.ProcessEnv = process.env): Remedy {
  const runtime = env['XDG_RUNTIME_DIR'];
  const hasSession = runtime !== undefined && existsSync(join(runtime, 'bus'));
  if (!hasSession && !env['PULSE_SERVER']) return { text: check('fix-no-session') };
  return {
    text: check('fix-restart-audio-server'),
    command: 'systemctl --user restart pipewire pipewire-pulse wireplumber',
  };
}

async function audioServer(pulse: Pulse): Promise<LookedAt> {
  try {
    const { sink, source } = await pulse.defaults();
    if (sink !== null || source !== null) return asOk(check('audio-server-ok'));
    return asMissing(check('audio-server-empty'), audioServerRemedy());
  } catch (error) {
    return withoutServer(error, (said) =>
      said.code === 'pactl-missing' ? check('pactl-missing') : check('audio-server-none'),
    );
  }
}

/** What it means that the audio server cannot be asked. @throws what is no answer of it */
function withoutServer(error: unknown, meaning: (said: Sentence) => Sentence): LookedAt {
  if (!(error instanceof StageError)) throw error;
  const { sentence: said } = error;
  if (error.code !== 'no-audio-server') return asMissing(said, audioServerRemedy());
  if (said.code !== 'pactl-missing') return asLimited(meaning(said), audioServerRemedy());
  return asLimited(meaning(said), {
    text: check('fix-install-pactl'),
    command: 'sudo apt-get install pulseaudio-utils libasound2-plugins',
  });
}

async function devices(
  listed: () => ReturnType<typeof recordableDevices>,
  chosen: string | null,
): Promise<LookedAt> {
  // There may be the package alone: newer versions of npm compile nothing that they are not told to.
  if (!isInstalled('naudiodon/build/Release/naudiodon.node')) {
    return asMissing(
      check('capture-not-installed'),
      await buildRemedy('npm install && npm rebuild'),
    );
  }
  let found: Awaited<ReturnType<typeof recordableDevices>>;
  try {
    found = await listed();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.sentence, audioServerRemedy());
  }
  const names = found.devices;
  if (found.devices.length === 0) {
    return asLimited(check('devices-none'));
  }
  if (chosen !== null && !found.devices.includes(chosen)) {
    return asMissing(check('device-chosen-gone', { device: chosen, devices: names }));
  }
  const used = chosen ?? found.default;
  return asOk(
    used === null
      ? check('devices-no-default', { devices: names })
      : check('devices-ok', { devices: names, used }),
  );
}

async function joined(
  pulse: Pulse,
  combined: CombinedSource,
  chosen: string | null,
): Promise<LookedAt> {
  const selection = await combined.selection();
  // Then an audio server that is missing harms nothing here, and is said by its own check.
  if (selection === null && chosen !== combinedDevice) return asOk(check('combined-not-wanted'));
  let sources: Awaited<ReturnType<Pulse['sources']>>;
  try {
    sources = await pulse.sources();
  } catch (error) {
    return withoutServer(error, (cause) => check('combined-no-server', { cause }));
  }
  if (selection === null) return asMissing(check('combined-not-chosen'));
  const { microphone, monitor } = selection;
  const there = new Set([...sources.microphones, ...sources.monitors].map(({ name }) => name));
  const gone = [microphone, monitor].filter((name) => !there.has(name));
  if (gone.length === 0) return asOk(check('combined-ok', { microphone, speakers: monitor }));
  return asMissing(check('combined-gone', { devices: gone, count: gone.length }));
}
