import { createHash } from 'node:crypto';
import type { PulseSource } from '../pulse/pulse.ts';

/**
 * naudiodon's PortAudio speaks ALSA only. A private ALSA configuration gives every source of the
 * audio server its own PCM, named as people know it. Pure text; format: alsa-lib, "Configuration
 * files", and alsa-plugins' `pulse`.
 */
export type AlsaConfig = {
  text: string;
  /** Name of the PCM, as PortAudio reports it → name of the source. */
  sources: Map<string, string>;
};

/** What the combined source's monitor is called, whatever its description. */
export const combinedDevice = 'mitschrift-combined';

/**
 * @param combinedSource name of the combined sink's monitor.
 * The same sources give the same names, in whatever order they come.
 */
export function alsaConfig(
  sources: readonly Pick<PulseSource, 'name' | 'description'>[],
  combinedSource: string | null,
): AlsaConfig {
  const names = new Map<string, string>();
  const isCombined = ({ name }: { name: string }) => name === combinedSource;
  if (combinedSource !== null && sources.some(isCombined))
    names.set(combinedDevice, combinedSource);
  const others = sources.filter((source) => !isCombined(source));
  const wanted = others.map(pcmName);
  // By their names, which unlike indices survive a restart of the server.
  for (const source of others.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = pcmName(source);
    const isFree = wanted.indexOf(name) === wanted.lastIndexOf(name) && !isKept(name);
    names.set(isFree ? name : ownName(name, source.name), source.name);
  }
  const pcms = [...names].map(
    ([name, source]) =>
      `pcm.${quoted(name)} { type pulse device ${quoted(source)} ` +
      `hint { show on description ${quoted(name)} } }\n`,
  );
  // The system's own file first: without it PortAudio's list of devices fails an assertion.
  return { text: `</usr/share/alsa/alsa.conf>\n${pcms.join('')}`, sources: names };
}

/** Longer names were not tried with PortAudio. */
const nameCharactersMax = 150;

/** A name with `.` or `:` would be read as a path or as arguments, and be invisible (measured). */
function pcmName({ name, description }: Pick<PulseSource, 'name' | 'description'>): string {
  const readable = (text: string) => text.replace(/[\p{C}\s]+/gu, ' ').replace(/[.:]/g, '-');
  const clean = Array.from(readable(description).trim())
    .slice(0, nameCharactersMax)
    .join('')
    .trim();
  return clean === '' ? readable(name) : clean;
}

/**
 * What one of several sources with one name is called, whichever of them are there: a number would go to another of them.
 * Equal names would be merged silently.
 */
export const ownName = (name: string, source: string): string =>
  `${name} (${createHash('sha256').update(source).digest('hex').slice(0, 6)})`;

/** Some override ALSA's own and break its list (measured); others look like a name of `ownName`. */
const isKept = (name: string): boolean =>
  reserved.has(name.toLowerCase()) || / \([\da-f]{6}\)$/u.test(name);

/** What alsa.conf and the usual plugins define. */
const reserved = new Set(
  (
    `${combinedDevice} default sysdefault hw plughw plug null pulse pipewire jack oss shm tee file ` +
    'cards card front rear center_lfe side surround21 surround40 surround41 surround50 surround51 ' +
    'surround71 iec958 spdif hdmi modem phoneline dmix dsnoop dshare softvol asym empty usbstream ' +
    'lavrate samplerate speexrate speex upmix vdownmix a52 dca multi route rate copy linear float'
  ).split(' '),
);

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
