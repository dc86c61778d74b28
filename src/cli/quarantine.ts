import { hostFrom } from '../shared/data-directory.ts';
import { openLogger } from '../shared/log.ts';
import { localTime } from '../shared/time.ts';
import { written } from '../words/params.ts';
import type { Quarantined } from '../storage/quarantine.ts';
import { askService } from '../service/control/socket.ts';
import { confirmed } from './confirmed.ts';
import {
  type QuarantineCommands,
  purgeMax,
  quarantineCommands,
} from '../service/control/data-commands.ts';

/** `mitschrift quarantine`: what was put aside, whose it was, since when, and how large it is. */
export async function listQuarantine({ json }: { json: boolean }): Promise<void> {
  const { entries, more } = await carryOut('quarantine-list', null);
  if (json) {
    console.log(JSON.stringify({ entries, more }));
    return;
  }
  if (entries.length === 0) console.log('The quarantine is empty.');
  for (const entry of entries) console.log(`${entry.name}: ${described(entry)}`);
  if (more > 0) console.log(`… and ${more} more`);
}

/**
 * `mitschrift quarantine purge NAME|--all`: deletes it for good, after asking.
 * @throws {Error} there is no terminal to ask on and `yes` is not given; nothing has that name
 */
export async function purgeQuarantine(
  name: string | undefined,
  { all, yes }: { all: boolean; yes: boolean },
): Promise<void> {
  if ((name === undefined) === !all) {
    console.error('Name what to delete, or use --all.');
    process.exitCode = 2;
    return;
  }
  const { entries } = await carryOut('quarantine-list', null);
  const meant = entries.filter((entry) => all || entry.name === name);
  if (meant.length === 0) {
    if (!all) throw new Error(`${name} is not in the quarantine.`);
    console.log('The quarantine is empty.');
    return;
  }
  if (!yes) for (const entry of meant) console.error(`${entry.name}: ${described(entry)}`);
  const question = `Delete ${meant.length === 1 ? 'it' : `these ${meant.length} entries`} permanently?`;
  if (!yes && !(await confirmed(question))) {
    console.log('Nothing was deleted.');
    process.exitCode = 1;
    return;
  }
  for (let from = 0; from < meant.length; from += purgeMax) {
    const names = meant.slice(from, from + purgeMax).map((entry) => entry.name);
    await carryOut('quarantine-purge', { names });
  }
  for (const entry of meant) console.log(`${entry.name} was deleted permanently.`);
}

const kinds: Record<Quarantined['kind'], (id: string | null) => string> = {
  documents: (id) => `documents of the deleted user ${id}`,
  recording: (id) => `folder of an unknown recording ${id}`,
  other: () => 'not put there by Mitschrift',
};

const described = ({ kind, id, since, bytes, unread }: Quarantined): string =>
  `${kinds[kind](id)}, since ${localTime(new Date(since))}, ${written('bytes', bytes, 'en')}` +
  (unread > 0 ? ` (${unread === 1 ? '1 file' : `${unread} files`} unreadable)` : '');

/** By the running service; without one over the files themselves. */
async function carryOut<K extends keyof QuarantineCommands>(
  name: K,
  body: unknown,
): Promise<Awaited<ReturnType<QuarantineCommands[K]>>> {
  type Result = Awaited<ReturnType<QuarantineCommands[K]>>;
  const { data, logLevel } = hostFrom(process.env);
  const answer = await askService<Result>(data.controlSocket, name, body);
  if (answer !== null) return answer;
  // What the service's log would hold, beside what the command prints.
  const log = openLogger(logLevel, process.stderr);
  return (await quarantineCommands({ data, log })[name](body)) as Result;
}
