import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtService, type BuiltService } from './built-service.ts';
import { fillLibrary } from './library.ts';
import { type Measured, bestOf, countFrom, milliseconds, msOf } from './measure.ts';

export const about = 'erasing one of many recordings, against one of ten';
export const throughBuild = true;

const recordings = countFrom('BENCH_RECORDINGS', 10_000);
const few = 10;
/** Fewer than there are in the small library. */
const erasures = 7;

/** `DELETE /recordings/{id}` until its answer: nothing of the recording can be read then. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const service = await builtService();
  const many = await library(service, join(root, 'many'), recordings);
  const small = await library(service, join(root, 'few'), few);
  try {
    const best = await bestOf(erasures, many.eraseNext, small.eraseNext);
    yield {
      what: `erasing one of ${recordings.toLocaleString('en')} recordings, against one of ${few}`,
      ours: milliseconds(best.ours),
      bare: milliseconds(best.bare),
      ratio: best.ours / best.bare,
      aim: '≤ 1.5',
    };
  } finally {
    await many.end();
    await small.end();
    await rm(root, { recursive: true, force: true });
  }
}

/** A running service with so many short transcripts. */
async function library(service: BuiltService, dataDir: string, transcripts: number) {
  const { token, recordingIds } = await fillLibrary(service, dataDir, transcripts);
  const running = await service.start(dataDir);
  const call = (method: string, path: string): Promise<Response> =>
    fetch(`${running.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  // Rows are made at the first start: the list answers when they are there.
  while ((await call('GET', '/recordings')).status === 503) await new Promise(setImmediate);
  return {
    async eraseNext(): Promise<number> {
      const id = recordingIds.pop()!;
      return await msOf(async () => {
        const { status } = await call('DELETE', `/recordings/${id}`);
        if (status !== 204) throw new Error(`DELETE was answered ${status}`);
      });
    },
    end: () => running.end('SIGTERM'),
  };
}
