import { mkdir, readFile, symlink } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { modelsDir } from '../support/models.ts';
import { apiOf, setUp, watchUntil } from '../support/service-process.ts';
import { builtService } from './built-service.ts';
import { childrenOf } from './processor-time.ts';

/** Peak resident memory in MiB (`VmHWM`). */
export type PeakMemory = { service: number; engine: number; together: number };

/** What a fresh service and its engine process hold at most while they make documents of one file. */
export async function peakMemory(root: string, audio: string): Promise<PeakMemory> {
  const service = await builtService();
  const data = join(root, `memory-${Math.random().toString(36).slice(2)}`);
  await mkdir(data);
  await symlink(modelsDir, join(data, 'models'));
  const running = await service.start(data);
  try {
    const token = await setUp(running.url);
    const api = apiOf(running.url, token);
    const form = new FormData();
    form.set('kind', 'solo');
    form.set('language', 'en');
    form.set('file', await openAsBlob(audio), 'talk.wav');
    await api.post('/recordings', form);
    let engine = 0;
    await watchUntil(
      running.url,
      token,
      async () => {
        engine = Math.max(engine, ...(await childrenOf(running.pid).then(peaks)));
        // Not the recording itself: its answer holds all that was heard so far, at every look.
        const { status } = await api.get<{ status: string }>('/status');
        if (status === 'ERROR') throw new Error('the recording failed');
        return status === 'IDLE';
      },
      3_600_000,
    );
    const own = await peakOf(running.pid);
    return { service: own, engine, together: own + engine };
  } finally {
    await running.end();
  }
}

const peaks = (pids: number[]): Promise<number[]> => Promise.all(pids.map(peakOf));

/** 0 for a process that has just ended. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
