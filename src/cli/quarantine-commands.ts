import * as z from 'zod';
import type { DataFolder } from '../host.ts';
import type { Log } from '../log.ts';
import { listQuarantined, purgeQuarantined, type Quarantined } from '../storage/quarantined.ts';

/** What `mitschrift quarantine` asks for: over the control socket, or directly. */
export type QuarantineCommands = {
  'quarantine-list': (body?: unknown) => Promise<{ entries: Quarantined[]; more: number }>;
  /** One after the other; what is there no more is an error, and those before it are gone. */
  'quarantine-purge': (body: unknown) => Promise<{ purged: number }>;
};

/** Names that one purge takes at most. */
export const purgeMax = 1000;

/**
 * The handlers by name. Whoever reaches them is the operating system's user of the service.
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
        deps.log.info({ category: 'security', by: 'system', name }, 'purged from the quarantine');
      }
      return { purged: names.length };
    },
  };
}

const purging = z.strictObject({ names: z.array(z.string().max(4096)).max(purgeMax) });
