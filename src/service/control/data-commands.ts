import * as z from 'zod';
import { isAbsolute } from 'node:path';
import type { DataFolder } from '../../shared/data-directory.ts';
import type { Log } from '../../shared/log.ts';
import { type Quarantined, listQuarantined, purgeQuarantined } from '../../storage/quarantine.ts';
import type { EventLog } from '../../../events/event-log.ts';
import type { KeyStore } from '../../../events/key-store.ts';
import type { Backups } from '../../integrity/backups.ts';
import type { Scrub } from '../../integrity/scrub.ts';

/** What `mitschrift quarantine` asks for: over the control socket, or directly. */
export type QuarantineCommands = {
  'quarantine-list': (body?: unknown) => Promise<{ entries: Quarantined[]; more: number }>;
  /** One after the other; what is there no more is an error, and those before it are gone. */
  'quarantine-purge': (body: unknown) => Promise<{ purged: number }>;
};

/** Names that one purge takes at most. */
export const purgeMax = 1000;

/**
 * The handlers by name. Only the operating system's user of the service reaches them.
 * @throws {z.ZodError} from `quarantine-purge`, and what removing throws
 */
export function quarantineCommands(deps: {
  data: Pick<DataFolder, 'quarantine'>;
  log: Pick<Log, 'info'>;
}): QuarantineCommands {
  const { quarantine } = deps.data;
  return {
    'quarantine-list': () => listQuarantined(quarantine),
    'quarantine-purge': async (body) => {
      const { names } = purging.parse(body);
      for await (const name of purgeQuarantined(quarantine, names)) {
        deps.log.info(
          { category: 'security', by: 'system', name },
          'entry deleted from the quarantine',
        );
      }
      return { purged: names.length };
    },
  };
}

const purging = z.strictObject({ names: z.array(z.string().max(4096)).max(purgeMax) });

/**
 * What a running service does for the commands of this folder, since the log has one process. What they
 * need is loaded when they are given.
 */
export function integrityHandlers(deps: {
  store: EventLog;
  keys: KeyStore;
  data: DataFolder;
  scrub: Scrub;
  backups: Pick<Backups, 'make' | 'cancel'>;
}): Record<
  'health' | 'verify' | 'backup' | 'backup-cancel' | 'export-log',
  (body: unknown, gone: AbortSignal) => Promise<unknown>
> {
  const { stopping } = deps.scrub;
  return {
    health: async () => deps.scrub.health(),
    verify: () => deps.scrub.verify(),
    backup: async (body) => await deps.backups.make(backingUp.parse(body).directory),
    'backup-cancel': () => deps.backups.cancel(),
    'export-log': async (body, gone) => {
      const { file, decrypt } = exporting.parse(body);
      const { exportLog } = await import('../../integrity/export-log.ts');
      return await exportLog(deps, file, { decrypt }, AbortSignal.any([stopping, gone]));
    },
  };
}

/** The command's own directory is not the service's. */
const absolute = z.string().refine(isAbsolute, 'must be an absolute path');
const backingUp = z.strictObject({ directory: absolute });
const exporting = z.strictObject({ file: absolute, decrypt: z.boolean().default(false) });
