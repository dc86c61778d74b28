import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { wavHeaderBytes } from '../../src/audio/wav.ts';
import { repairWav } from '../../src/capture/file/wav-writer.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { testProgram } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { channelsOf, rate, sampled, samples, type Source } from './captured.ts';
import { powered } from './power-loss.ts';

/** Cuts somewhere before the last operations, where the file is completed: there each is tried. */
const earlyCuts = times({ short: 4, long: 40 });

for (const source of ['browser', 'browser, its headers', 'device'] as const) {
  test(`${source}: after a power cut all samples that were said to be kept are there, and the header speaks of no others (SEED=${seed})`, async (t) => {
    const random = seeded(seed);
    const place = await powered(await tempDir(t));
    const channels = channelsOf(source);
    const all = samples(source);
    const took = { cuts: 0, bytes: 0 };
    const cutAt = async (operation: number): Promise<boolean> => {
      const folder = join(place.root, `cut-${took.cuts}`);
      const { kept, through } = await capturing(source, folder, await place.env(operation));
      took.cuts += 1;
      took.bytes += (await place.cut(random.chance(0.7) ? undefined : random)).bytes;
      const path = join(folder, 'audio.wav');
      const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return Buffer.alloc(0);
        throw error;
      });
      const left = file.subarray(wavHeaderBytes);
      const bytes = kept * channels * 2;
      assert.ok(left.subarray(0, bytes).equals(all.subarray(0, bytes)), `${kept} were kept`);
      if (file.length < wavHeaderBytes) return through;
      const promised = file.readUInt32LE(40);
      assert.ok(promised <= left.length, `${promised} bytes promised, ${left.length} there`);
      assert.ok(left.subarray(0, promised).equals(all.subarray(0, promised)));
      assert.ok((await repairWav(path, channels, rate)) >= kept);
      if (through) assert.equal(kept, sampled);
      return through;
    };
    assert.ok(await cutAt(0), 'undisturbed it comes to its end');
    const journal = await readFile(join(place.folder, 'journal'), 'utf8');
    const lines = journal.split('\n').slice(0, -1);
    const operations = lines.length;
    // Every other one where audio is about to be synced: what has come since the last sync is lost.
    const syncs = lines.flatMap((line, at) => (/^S\t.*audio\.wav\t/.test(line) ? [at + 1] : []));
    for (let cut = 0; cut < earlyCuts; cut += 1) {
      await cutAt(cut % 2 === 0 ? random.pick(syncs) : 1 + random.below(operations - 1));
    }
    // Not every operation is in the journal: what failed, and what changed nothing, is not.
    let last = operations - 1;
    while (!(await cutAt(last))) last += 1;
    assert.ok(last > operations, JSON.stringify(took));
    t.diagnostic(JSON.stringify({ ...took, operations, syncs, last }));
  });
}

/** The samples it said were kept, and whether it came to its end. */
async function capturing(
  source: Source,
  folder: string,
  env: Record<string, string>,
): Promise<{ kept: number; through: boolean }> {
  const script = testProgram('test/faults/capturer');
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [script, source, folder], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code}`);
  const kept = Number(said.split('\n').at(-2) ?? 0);
  return { kept, through: code === 0 };
}
