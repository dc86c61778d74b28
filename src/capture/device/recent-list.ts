import { readFile } from 'node:fs/promises';
import type { ListedDevices } from './list-devices-process.ts';

/** Answers as `ask` does, or as it did a moment ago of the same sources. @param config ALSA's, in which it asks */
export type RecentList = (
  config: string | null,
  ask: () => Promise<ListedDevices>,
) => Promise<ListedDevices>;

/** A device that another program held meanwhile is listed again so much later, in milliseconds. */
const keptMs = 20_000;
/** Which sound cards there are, and what can be opened of them; without sound, neither. */
const kernelLists = ['/proc/asound/cards', '/proc/asound/pcm'];

/**
 * What PortAudio lists, kept for a moment: each page that is opened wants to know it, and asking takes a process of
 * its own. A list is of the sources that the sound server and the kernel had: with others PortAudio is asked anew.
 */
export function openRecentList(): RecentList {
  let last: { sources: string; at: number; listed: Promise<ListedDevices> } | undefined;
  return async (config, ask) => {
    const sources = JSON.stringify([config, ...(await Promise.all(kernelLists.map(readIfThere)))]);
    if (last?.sources === sources && performance.now() - last.at < keptMs) return await last.listed;
    const mine = { sources, at: performance.now(), listed: ask() };
    last = mine;
    try {
      return await mine.listed;
    } catch (error) {
      if (last === mine) last = undefined;
      throw error;
    }
  };
}

const readIfThere = async (path: string): Promise<string | null> =>
  await readFile(path, 'utf8').catch(() => null);
