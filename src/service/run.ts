import { withLoss, withRows } from '../integrity/verify.ts';
import type { Run } from './begin-again.ts';
import { acceptsAudio } from '../audio/accepts-audio.ts';
import { createApp } from '../http/app.ts';
import { openSockets } from '../http/feed/upgrade.ts';
import type { RunningServer } from '../http/server.ts';
import type { HttpServices } from '../http/services.ts';
import { sweepUploads } from '../http/uploads/receive-upload.ts';
import type { OpenedLog } from './event-log.ts';
import { closeSockets, linkOf, openLocalSockets } from './local-sockets.ts';
import { inOrder } from '../shared/mutex.ts';
import { withElsewhere } from '../capture/moments.ts';
import { type Closing, type Parts, type ServiceOptions, compose } from './compose.ts';
import { serviceDoctor } from './service-doctor.ts';
import type { Log } from '../shared/log.ts';
import { packageVersion } from '../shared/package.ts';
import type { Sentence } from '../words/params.ts';

/** @param options.lost what the log had lost when it was opened again */
export type RunOptions = ServiceOptions & { lost: Sentence | null };

/** Serves over an opened log. */
export function begin(
  options: RunOptions,
  eventLog: Promise<OpenedLog>,
  server: RunningServer,
): Run {
  const closing: Closing = [];
  const opening = compose(options, eventLog, closing);
  const served = opening.then((parts) => serve(parts, server, options));
  // Not before the log is locked: the sockets of a service that runs would be replaced.
  const sockets = eventLog.then(() => openLocalSockets(options, served, () => server.url));
  const link = served.then((parts) => linkOf(parts, server.url));
  const ready = served.then((parts) => goOn(parts, options.log));
  for (const one of [sockets, link, ready]) one.catch(() => undefined);
  let ended: Promise<void> | undefined;
  return {
    link,
    ready,
    /** In this order: who waits for an answer gets it, then nothing new comes in, then what is below. */
    end: (leave) => (ended ??= endAll(leave)),
  };

  async function endAll(leave: () => Promise<void>): Promise<void> {
    const parts = await opening.catch(() => null);
    // First: sockets wait for commands that are being answered, some of which ask the scrub.
    await inOrder([
      async () => await parts?.scrub.stop(),
      async () => closeSockets(await sockets.catch(() => [])),
      leave,
      ...closing.toReversed(),
      async () => await ready.catch(() => undefined),
    ]);
  }
}

/** With what has to know the port. */
type Served = Parts & Pick<HttpServices, 'doctor'>;

/** Answers everything from now on; what is not ready yet by 503. */
async function serve(parts: Parts, server: RunningServer, options: RunOptions): Promise<Served> {
  const { host, log, lost } = options;
  const { scrub, rows, recordingService, elsewhere, cluster } = parts;
  if (!parts.standing.sharesFolders) await sweepUploads(host.data.uploads);
  const own: HttpServices = {
    ...parts,
    recordingService: withElsewhere(recordingService, elsewhere),
    log,
    acceptsAudio,
    version: packageVersion(),
    address: host.address,
    dataDir: host.data.shared,
    health: () => withLoss(withRows(scrub.health(), rows.full()?.sentence), lost),
    certificateNames: () => server.certificateNames(),
    doctor: serviceDoctor(parts, server, options),
  };
  const services = options.trial?.withServices?.(own) ?? own;
  await server.serve(createApp(services), openSockets(services), services);
  cluster?.listensAt(server.url);
  return { ...parts, doctor: own.doctor };
}

/** What a start does while requests are answered, in this order. */
async function goOn(
  { accounts, disk, space, takenUp, vaults, retention, keepUp, tidyUp }: Parts,
  log: Log,
): Promise<void> {
  void space.start();
  void disk.start();
  const recordings = await takenUp;
  if (recordings > 0) log.info({ recordings }, 'continued unfinished recordings');
  // Not waited for: a capture that does not end must not keep the rest from being done.
  keepUp(() => accounts.finishDeletions());
  vaults.begin();
  await tidyUp();
  retention.begin();
}
