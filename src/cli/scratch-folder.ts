import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../shared/machine.ts';
import { type StopSignal, codeOfSignal, onStopSignals } from './stop-signals.ts';

/** A temporary folder that a command works in, and that is gone when it ends. */
export type ScratchFolder = {
  path: string;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP: what works in the folder has to end. */
  readonly stopping: AbortSignal;
  /** Removes the folder. Ends the process, as the signal would have, if there was one. */
  remove(): Promise<void>;
};

/** What ends on a signal may take so long; then the folder is removed under its hands. */
const endWithinMs = 10_000;

/**
 * Makes a folder for this process, and removes those that killed processes of this host and user left. A second signal, or ten seconds after the first, removes the folder and ends the process.
 */
export async function openScratchFolder(): Promise<ScratchFolder> {
  const prefix = `mitschrift-transcribe-${hostname().replaceAll(/[^A-Za-z0-9.-]/gu, '_')}-`;
  await sweep(prefix);
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const stopping = new AbortController();
  let code: number | undefined;
  const end = () => {
    rmSync(path, { recursive: true, force: true });
    process.exit(code);
  };
  const stop = (signal: StopSignal): void => {
    code = codeOfSignal(signal);
    setTimeout(end, endWithinMs).unref();
    stopping.abort(new Error(`Stopped by ${signal}`));
  };
  const silence = onStopSignals(['SIGHUP', 'SIGINT', 'SIGTERM'], stop, end);
  return {
    path,
    stopping: stopping.signal,
    async remove() {
      await rm(path, { recursive: true, force: true });
      if (code !== undefined) process.exit(code);
      silence();
    },
  };
}

async function sweep(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1]);
    if (!Number.isSafeInteger(pid) || isRunning(pid)) continue;
    const path = join(tmpdir(), name);
    const there = await lstat(path).catch(() => undefined);
    // In a folder that everybody writes to, only our own is ours to remove.
    if (!there?.isDirectory() || there.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true });
  }
}
