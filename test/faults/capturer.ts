/*
 * A process that only captures: a browser's microphone or a device, through the product's own functions,
 * and prints how many samples it has said are on the disk. `capture-power.test.ts` ends it.
 */
import { mkdir } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import pino from 'pino';
import { browserLimits, openBrowserWriter } from '../../src/capture/browser/browser-writer.ts';
import { openTrack } from '../../src/capture/process/track.ts';
import { blocks, channelsOf, rate, sampled, type Source } from './captured.ts';

const [source, folder] = process.argv.slice(2) as [Source, string];
const kept = (samples: number) => writeSync(1, `${samples}\n`);
await mkdir(folder, { mode: 0o700 });
if (source !== 'device') {
  const writer = await openBrowserWriter(folder, {
    // The product's own; and once with what it does every 5 s done with every acknowledgement: a new header.
    limits: {
      ...browserLimits,
      secondsMax: 60,
      freeBytesMin: 0,
      ...(source === 'browser' ? {} : { acknowledgeEveryMs: 0, upkeepMs: 0 }),
    },
    log: pino({ level: 'silent' }),
    sharesFolders: false,
    share: undefined,
    intake: undefined,
    onRoom() {},
    onHeld() {},
    onWritten: kept,
    onFailed(reason) {
      throw new Error(reason);
    },
  });
  await writer.open({ rate, channels: 1 });
  for (const block of blocks(source)) {
    writer.take(block, 1);
    await writer.flush();
  }
  await writer.close();
} else {
  const channels = channelsOf(source);
  const limits = { freeBytesMin: 0, secondsMax: 60 };
  const nowhere = { socketPath: '', device: '', source: null, alsaConfigPath: null };
  const spec = { claim: 'claim', folder, channels, limits, ...nowhere };
  const track = await openTrack(spec as Parameters<typeof openTrack>[0], () => performance.now());
  const all = blocks(source);
  for (const [at, block] of all.entries()) {
    await track.take(block, performance.now());
    // The last one is kept by what completes the file.
    if (at === all.length - 1) break;
    await track.keep(at % 3 === 2);
    kept(track.ledger.samples);
  }
  await track.close();
}
kept(sampled);
