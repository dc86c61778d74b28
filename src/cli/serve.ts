import type { Accounts } from '../accounts/accounts.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { openServiceLogger } from '../shared/log.ts';
import { startService } from '../main.ts';
import { startRefusal } from './start-refusal.ts';

/** A stop that takes longer than this is a hang; what was acknowledged is on disk in any case. */
const stopWithinMs = 10_000;

/** The process's answer when it is to be started again, as supervisors do: `EX_TEMPFAIL` of sysexits.h. */
const startAgain = 75;

/** Runs the service until a signal stops it. */
export async function serve(): Promise<void> {
  const host = hostFrom(process.env);
  let users: Pick<Accounts, 'listUsers'> | undefined;
  const userName = (id: string) => users?.listUsers().find(({ userId }) => userId === id)?.username;
  const log = await openServiceLogger(host.logLevel, userName);
  const onUsers = (known: typeof users) => void (users = known);
  process.on('uncaughtException', (error) => {
    // The state of the process is unknown: the next start goes on from the log.
    log.fatal({ err: error }, 'unexpected error, ending');
    process.exit(1);
  });
  const refused = (error: unknown): never => {
    throw startRefusal(error, host);
  };
  const service = await startService({ host, env: process.env, log, onUsers }).catch(refused);
  let stopping = false;
  let hasBegun = false;
  service.over.catch((error: unknown) => {
    // A service that never began ends with why; to start it again would change nothing.
    if (stopping || !hasBegun) return;
    log.fatal({ err: error }, 'the service cannot go on by itself, ending: start it again');
    process.exit(startAgain);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal }, 'stopping');
      setTimeout(() => {
        log.error('stopping took too long');
        process.exit(1);
      }, stopWithinMs).unref();
      service.close().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'could not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
  // The port answers, and the service may be stopped from now on.
  console.error(`Mitschrift is at ${service.url}`);
  const link = await service.setupLink.catch(() => null); // `ready` fails with the same error
  if (link !== null) console.error(`Create the first administrator at ${link}`);
  await service.ready.catch((error: unknown) => {
    if (!stopping) refused(error);
  });
  hasBegun = true;
  log.info('ready');
}
