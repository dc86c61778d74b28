import { isAbsolute } from 'node:path';
import type { Log as EventLog } from '../../events/level-log.ts';
import type { KeyStore } from '../../events/keys.ts';
import type { DataFolder } from '../host.ts';
import type { Scrub } from './scrub.ts';

/**
 * What a running service does for the commands of this folder, since the log has one process. What they
 * need is loaded when they are given.
 */
export function integrityHandlers(deps: {
  store: EventLog;
  keys: KeyStore;
  data: DataFolder;
  scrub: Scrub;
  /** Runs what copies files while none is replaced: those of the facts copied before must be there. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
}): Record<'verify' | 'backup' | 'export-log', (body: unknown) => Promise<unknown>> {
  const { stopping } = deps.scrub;
  return {
    verify: () => deps.scrub.verify(),
    backup: async (body) => {
      const directory = pathIn(body, 'directory');
      const { backup } = await import('./backup.ts');
      return await deps.whileFilesStay(() => backup(deps, directory, stopping));
    },
    'export-log': async (body) => {
      const { decrypt } = body as { decrypt?: unknown };
      const { exportLog } = await import('./export-log.ts');
      return await exportLog(deps, pathIn(body, 'file'), { decrypt: decrypt === true }, stopping);
    },
  };
}

/** The command's own directory is not the service's. */
function pathIn(body: unknown, name: string): string {
  const path = (body as Record<string, unknown> | null)?.[name];
  if (typeof path === 'string' && isAbsolute(path)) return path;
  throw new TypeError(`${name} must be an absolute path`);
}
