import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingOf } from '../events/facts/recording.ts';
import { startingWith } from './list-page.ts';
import type { Projection, ProjectionStorage } from './runner/projection.ts';

/** What a command led to. */
export type Begun = {
  recordingId: string;
  /** Position of the fact in the log. */
  position: number;
  /** Canonical name of the state it led to. */
  state: string;
};
export type Done = Begun & { type: LoggedFact['type'] };

const beginnings = ['recording.started', 'audio.imported'] as const;

/**
 * What people's commands led to, so that one that is repeated finds its first answer, also after a
 * restart. Rows: `c/<command>`. Command ids contain the user, so users need not
 * be separated here.
 */
export const commands: Projection = {
  name: 'commands',
  version: 6,
  interests: new Set<LoggedFact['type']>([
    ...beginnings,
    'audio.captured',
    'capture.interrupted',
    'recording.paused',
    'recording.resumed',
    'recording.discarded',
    'processing.cancelled',
    'retry.requested',
    'error.cleared',
    'reprocessing.requested',
    'version.restored',
    'speakers.named',
    'speakers.skipped',
    'speakers.postponed',
    'turns.recut',
    'sidenote.written',
    'summary.edited',
    'task.checked',
    'recording.joined',
    'recording.cut',
    'passage.removed',
  ]),
  keys: () => [],
  apply(rows, fact) {
    const recordingId = recordingOf(fact.stream);
    if (recordingId === undefined) return;
    const { type, position, to: state = '' } = fact;
    rows.set(`c/${fact.command}`, { recordingId, position, state, type } satisfies Done);
  },
};

/** What a command began; null when it began nothing. */
export async function importedBy(
  storage: ProjectionStorage,
  command: string,
): Promise<Begun | null> {
  const done = await doneBy(storage, command);
  if (done === null || !beginnings.some((one) => one === done.type)) return null;
  const { recordingId, position, state } = done;
  return { recordingId, position, state };
}

/** What a command did; null when it did nothing that is listed here. */
export async function doneBy(storage: ProjectionStorage, command: string): Promise<Done | null> {
  return (await storage.get<Done>(commands.name, `c/${command}`)) ?? null;
}

/** The last thing a command did that acted on several recordings, each as `<command>/<recording>`. */
export async function lastDoneBy(
  storage: ProjectionStorage,
  command: string,
): Promise<Done | null> {
  let last: Done | null = null;
  for await (const [key, done] of storage.range<Done>(
    commands.name,
    startingWith(`c/${command}/`),
  )) {
    // A client's own keys may hold slashes.
    if (key !== `c/${command}/${done.recordingId}`) continue;
    if (last === null || done.position > last.position) last = done;
  }
  return last;
}
