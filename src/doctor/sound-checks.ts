import { join } from 'node:path';
import { combinedDevice } from '../capture/device/alsa-config.ts';
import { recordableDevices } from '../capture/device/devices.ts';
import { combinedMonitor, instanceOf } from '../capture/pulse/combined-chain.ts';
import { type CombinedSource, combinedSource } from '../capture/pulse/combined-source.ts';
import { type Pulse, openPulse } from '../capture/pulse/pulse.ts';
import type { Settings } from '../config/schema.ts';
import { inProgramFolder } from '../shared/command-line.ts';
import { StageError } from '../shared/errors.ts';
import { isInstalled } from '../shared/package.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';

/** Longer than `pactl` and the listing of devices are given where they are asked. */
const soundMs = 60_000;
const namedMax = 5;
const needs = guideLink('readme', 'What it needs');

type SoundSettings = Pick<Settings, 'audio.device' | 'audio.combined_channels'>;

/** What records sound here: the audio server, devices, and the source that joins two of them. */
export function soundLooks(dataRoot: string, settings: SoundSettings): Look[] {
  const pulse = openPulse();
  const instance = instanceOf(dataRoot);
  const combined = combinedSource({
    path: join(dataRoot, 'combined.json'),
    instance,
    pulse,
    channels: () => settings['audio.combined_channels'],
  });
  const options = {
    configPath: join(dataRoot, 'asound.conf'),
    combinedSource: combinedMonitor(instance),
  };
  const listed = () => recordableDevices(combined, options);
  return [
    {
      id: 'audio-server',
      title: 'Audio server',
      link: needs,
      limitMs: soundMs,
      look: () => audioServer(pulse),
    },
    {
      id: 'devices',
      title: 'Devices',
      link: guideLink('recording', 'Recording: hotkey, tray, browser'),
      limitMs: soundMs,
      look: () => devices(listed, settings['audio.device']),
    },
    {
      id: 'combined',
      title: 'Microphone and speakers together',
      link: guideLink('recording', 'Recording: hotkey, tray, browser'),
      limitMs: soundMs,
      look: () => joined(pulse, combined, settings['audio.device']),
    },
  ];
}

const restartSound = {
  text: 'Start the audio server of your session again.',
  command: 'systemctl --user restart pipewire pipewire-pulse wireplumber',
};

async function audioServer(pulse: Pulse): Promise<LookedAt> {
  try {
    const { sink, source } = await pulse.defaults();
    if (sink !== null || source !== null) return asOk('It answers.');
    return asMissing('It answers, and has neither a loudspeaker nor a microphone.', restartSound);
  } catch (error) {
    return withoutServer(error, 'Devices have ALSA’s names, and none are joined.');
  }
}

/** What it means that the audio server cannot be asked. @throws what is no answer of it */
function withoutServer(error: unknown, consequence: string): LookedAt {
  if (!(error instanceof StageError)) throw error;
  if (error.code !== 'no-audio-server') return asMissing(error.message, restartSound);
  const detail = `${error.message} ${consequence}`;
  if (!error.message.includes('pactl')) return asLimited(detail, restartSound);
  return asLimited(detail, {
    text: 'Install the program, and ALSA’s way to the audio server.',
    command: 'sudo apt-get install pulseaudio-utils libasound2-plugins',
  });
}

async function devices(
  listed: () => ReturnType<typeof recordableDevices>,
  chosen: string | null,
): Promise<LookedAt> {
  if (!isInstalled('naudiodon')) {
    return asMissing(
      'The capture library is not installed: files and browsers alone are recorded.',
      {
        text: 'Install the compiler, then the packages again.',
        command: `sudo apt-get install build-essential python3 && ${inProgramFolder('npm install')}`,
      },
    );
  }
  let found: Awaited<ReturnType<typeof recordableDevices>>;
  try {
    found = await listed();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.message, restartSound);
  }
  const names = named(found.devices);
  if (found.devices.length === 0) {
    const text = 'Connect a microphone, or record with a browser.';
    return asLimited('None is there: files and browsers alone are recorded.', { text });
  }
  if (chosen !== null && !found.devices.includes(chosen)) {
    const text = 'Connect it, or choose another one (audio.device).';
    return asMissing(`“${chosen}” is not there. There is: ${names}.`, { text });
  }
  const used = chosen ?? found.default;
  return asOk(`${names}. ${used === null ? 'None is the default.' : `“${used}” is used.`}`);
}

const named = (names: readonly string[]): string => {
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `${names
    .slice(0, namedMax)
    .map((name) => `“${name}”`)
    .join(', ')}${more}`;
};

async function joined(
  pulse: Pulse,
  combined: CombinedSource,
  chosen: string | null,
): Promise<LookedAt> {
  const selection = await combined.selection();
  const choose = {
    text: 'Choose a microphone and a loudspeaker that are there (settings, sound).',
  };
  let sources: Awaited<ReturnType<Pulse['sources']>>;
  try {
    sources = await pulse.sources();
  } catch (error) {
    return withoutServer(error, 'Microphone and speakers cannot be recorded together.');
  }
  if (selection === null) {
    if (chosen === combinedDevice) {
      return asMissing(
        `${combinedDevice} is to be recorded, and nothing was chosen for it.`,
        choose,
      );
    }
    return asOk('Nothing was chosen to be recorded together, and nothing has to be.');
  }
  const { microphone, monitor } = selection;
  const there = new Set([...sources.microphones, ...sources.monitors].map(({ name }) => name));
  const gone = [microphone, monitor].filter((name) => !there.has(name));
  if (gone.length === 0) return asOk(`“${microphone}” and “${monitor}” are there.`);
  return asMissing(`${named(gone)} ${gone.length === 1 ? 'is' : 'are'} not there.`, choose);
}
