import { onStopSignals } from './stop-signals.ts';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { foldName } from '../../projections/library.ts';
import { ServiceRefusal, askAs } from '../recorder/ask-service.ts';
import { firstFault, inWords } from '../shared/in-words.ts';
import { titleSchema } from '../http/body.ts';
import { captureRate } from '../audio/wav.ts';
import { adoptCapture } from '../capture/process/client.ts';
import { readClaim } from '../capture/file/capture-files.ts';
import { askInTime, openControl } from '../service/control/socket.ts';
import { type DeskDevices, openDeskDevices } from '../recorder/desk-devices.ts';
import {
  type DeskFolder,
  deskFolders,
  makeDeskFolder,
  recorderRoot,
  writeNote,
} from '../recorder/desk-folder.ts';
import {
  type DeskEnd,
  type DeskRecording,
  openDeskRecording,
  type DeskState,
} from '../recorder/desk-recording.ts';
import { readLogin, type Login } from '../recorder/logins.ts';
import { audioFileName } from '../shared/data-directory.ts';
import { StageError, messageOf } from '../shared/errors.ts';
import { peopleFieldSchema } from '../recordings/people-given.ts';
import { privateDirectory } from '../shared/files.ts';
import { openLogger } from '../shared/log.ts';
import { clock } from '../shared/time.ts';
import { assertLoggedIn } from './login.ts';
import { type LinkNote, openDeskLink } from '../recorder/desk-link.ts';

/** How the command ends when a recording was stopped, and is not wholly sent yet. */
const notAllSentCode = 3;

/** A service that takes nothing for so long after the stop is not waited for, milliseconds. */
const idleMs = 30_000;

const showMs = 250;

/** A recorder says at once that it runs, milliseconds. */
const whoMs = 5000;
const suspended =
  'mitschrift record is already running on this computer, but doesn’t respond. ' +
  'If it was suspended with Ctrl+Z, fg continues it.';

type RecordOptions = {
  server: string;
  device?: string | undefined;
  loudspeakers: boolean;
  meeting: boolean;
  title?: string | undefined;
  people?: string | undefined;
  /** Name of one of the user's folders. */
  folder?: string | undefined;
  rest: boolean;
  /** Id of a recording that another desk began. */
  finish?: string | undefined;
};

/**
 * `mitschrift record --server URL`: records this desk, and sends it. Exit codes: 0 all of it is on the service's
 * disk, 1 failed, or the service takes no more of it, 3 stopped and not all said: the next `record` goes on.
 */
export async function record(options: RecordOptions): Promise<void> {
  const { server } = options;
  const people = peopleFieldSchema.safeParse(options.people ?? '');
  if (!people.success) {
    console.error(`--people ${firstFault(people.error)}.`);
    process.exitCode = 2;
    return;
  }
  const title = titleSchema.optional().safeParse(options.title, { error: inWords });
  if (!title.success) {
    console.error(`--title ${firstFault(title.error)}.`);
    process.exitCode = 2;
    return;
  }
  if (options.finish !== undefined) return await finish(server, options.finish);
  const root = recorderRoot(process.env);
  await privateDirectory(root);
  // Of each computer that shares this home.
  const socket = join(root, `recorder-${hostname()}.sock`);
  // The second is that of earlier releases.
  for (const path of [socket, join(root, 'recorder.sock')])
    if ((await askInTime(path, 'who', { ms: whoMs, late: suspended })) !== null)
      throw new Error('mitschrift record is already running on this computer.');
  const control = await openControl(socket, { who: async () => process.pid });
  const words = recordWords();
  try {
    const wanted = { ...options, people: people.data };
    const devices = await openDeskDevices(root, process.env, openLogger('silent'));
    const folders = await foldersFor(root, wanted, devices, words);
    if (folders.length === 0) words.say(`Nothing left to send to ${server}.`);
    await recordAll(folders, devices, words);
  } finally {
    words.end();
    await new Promise((resolve) => control.close(resolve));
  }
}

/**
 * Ends a recording whose recorder will not come back, with what that has sent. Should it come back, the rest is added.
 * @throws {Error} with why the service does not do it
 */
async function finish(server: string, id: string): Promise<void> {
  await assertLoggedIn(server);
  const note: LinkNote = {
    id,
    recordingId: id,
    server,
    kind: 'solo',
    folder: null,
    title: null,
    people: [],
    channels: 1,
    startedAt: new Date().toISOString(),
  };
  const nothing = { read: async () => Buffer.alloc(0) };
  let samples = 0;
  await new Promise<void>((resolve, reject) => {
    const over = (settle: () => void) => {
      link.close();
      settle();
    };
    const link = openDeskLink(note, nothing, {
      login: () => readLogin(server, process.env),
      ready() {},
      acknowledged: (acknowledged) => (samples = acknowledged),
      ended(reason) {
        // Neither says that the recording is over: the link comes back, or says why it cannot.
        if (reason === 'left' || reason === 'taken-over') link.beginLater();
        else over(resolve);
      },
      refused: (code, detail) =>
        // All of it is there: whoever paused it need not resume it for that.
        code === 'recording-paused' ? link.stopPaused() : over(() => reject(new Error(detail))),
      resumed() {},
      stopped() {},
      away(why) {
        if (why !== null) over(() => reject(new Error(why)));
      },
    });
    link.stop(0);
    link.begin();
  });
  console.error(`The recording was ended with ${clock(samples / captureRate)} of audio.`);
}

/** What earlier processes left of this service, and a new recording unless one of them still goes on. */
async function foldersFor(
  root: string,
  options: Omit<RecordOptions, 'people'> & { people: string[] },
  devices: DeskDevices,
  words: RecordWords,
): Promise<DeskFolder[]> {
  const { server, people } = options;
  const { left, isGoingOn } = await leftovers(root, server, words);
  if (options.rest || isGoingOn) return left;
  const login = await mayBegin(server, words);
  const folder = options.folder === undefined ? null : await folderCalled(options.folder, login);
  const device = await devices.choose(options.device ?? null, options.loudspeakers);
  const about = {
    server,
    username: login.username,
    kind: options.meeting ? 'meeting' : folder === null ? 'solo' : null,
    folder,
    title: options.title ?? null,
    people,
    device,
    channels: devices.channelsOf(device),
  } as const;
  words.say(`Recording from ${device} for ${login.username} on ${server}. Press Ctrl+C to stop.`);
  return [...left, await makeDeskFolder(root, about)];
}

async function leftovers(
  root: string,
  server: string,
  words: RecordWords,
): Promise<{ left: DeskFolder[]; isGoingOn: boolean }> {
  const all = await deskFolders(root, (path) => words.say(`${path} can’t be read and was kept.`));
  const left: DeskFolder[] = [];
  let isGoingOn = false;
  for (const folder of all) {
    const { note, path } = folder;
    if (note.host !== undefined && note.host !== hostname()) {
      words.say(
        `The recording from ${note.startedAt} is left to the computer “${note.host}”: run mitschrift record there. ` +
          `If this is that computer, renamed, remove "host" from ${join(path, 'recorder.json')}.`,
      );
      continue;
    }
    if (note.refused !== null) words.say(keptInWords(folder));
    if (note.server !== server || note.refused !== null) continue;
    left.push(folder);
    const capture = (await readClaim(path)) === null ? null : await adoptCapture(path);
    capture?.release();
    if (capture && !note.isOver) {
      isGoingOn = true;
      words.say(`Continuing the recording from ${note.startedAt}. Press Ctrl+C to stop.`);
    } else if (!note.isOver) {
      note.isOver = true;
      await writeNote(folder);
      words.say(`Sending the rest of the recording from ${note.startedAt}.`);
    }
  }
  return { left, isGoingOn };
}

/** Without a network it may; with a certificate that is wrong, or an expired login, it may not. */
async function mayBegin(server: string, words: RecordWords): Promise<Login> {
  const known = await readLogin(server, process.env);
  try {
    return await assertLoggedIn(server);
  } catch (error) {
    const isAway =
      (error instanceof StageError && error.retriable) ||
      // As proxies answer while it restarts.
      (error instanceof ServiceRefusal && error.status >= 500);
    if (known === null || !isAway) throw error;
    words.say(`${messageOf(error)} The recording is saved here and sent when the server responds.`);
    return known;
  }
}

const foldersSchema = z.object({
  folders: z.array(z.object({ id: z.string(), name: z.string() })),
});

/** The id of a user's folder. @throws {Error} there is none of that name, or the service cannot be asked */
async function folderCalled(name: string, login: Login): Promise<string> {
  const { folders } = foldersSchema.parse(await askAs(login, 'GET', '/folders'));
  const found = folders.find((folder) => foldName(folder.name) === foldName(name.trim()));
  if (found) return found.id;
  const all = folders.map((folder) => `“${folder.name}”`).join(', ');
  throw new Error(
    `There is no folder “${name}”. ${all === '' ? 'You have no folders yet.' : `Your folders: ${all}.`}`,
  );
}

async function recordAll(
  folders: readonly DeskFolder[],
  devices: DeskDevices,
  words: RecordWords,
): Promise<void> {
  const recordings: DeskRecording[] = folders.map((folder) =>
    openDeskRecording(folder, {
      devices,
      login: () => readLogin(folder.note.server, process.env),
      say: (text) => words.say(text),
      isCaptured: (device) =>
        recordings.some(
          (each) => each.folder.note.device === device && each.state().phase !== 'sending',
        ),
    }),
  );
  const left = new Set(recordings);
  const ends = recordings.map(async (recording) => {
    const code = await codeOf(recording, words);
    left.delete(recording);
    return code;
  });
  const show = setInterval(() => words.show([...left].map((each) => each.state())), showMs);
  const gaveUp = untilGivenUp(left);
  const codes = await Promise.race([Promise.all(ends), gaveUp.promise]);
  clearInterval(show);
  gaveUp.end();
  process.exitCode = codes === null ? notAllSentCode : Math.max(0, ...codes);
  if (codes !== null) return;
  for (const recording of left) await recording.leave();
  words.say(
    'Not everything was sent. The rest is saved here; run mitschrift record again to send it.',
  );
}

/** Null: it is left as it is. A first signal stops what is recorded, a second one waits for nothing more. */
function untilGivenUp(left: ReadonlySet<DeskRecording>): {
  promise: Promise<null>;
  end(): void;
} {
  let giveUp: (value: null) => void;
  const promise = new Promise<null>((resolve) => (giveUp = resolve));
  const stop = () => {
    for (const recording of left) void recording.stop().catch(() => giveUp(null));
  };
  const silence = onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop, () => giveUp(null));
  let unsent = -1;
  let since = performance.now();
  const timer = setInterval(() => {
    const states = [...left].map((recording) => recording.state());
    const now = states.reduce((sum, { unsentSeconds }) => sum + unsentSeconds, 0);
    if (now !== unsent || states.some(({ phase }) => phase !== 'sending')) {
      unsent = now;
      since = performance.now();
    } else if (performance.now() - since > idleMs) giveUp(null);
  }, showMs);
  return {
    promise,
    end() {
      clearInterval(timer);
      silence();
    },
  };
}

async function codeOf(recording: DeskRecording, words: RecordWords): Promise<number> {
  try {
    const end: DeskEnd = await recording.ended;
    if (end === 'sent') console.log(recording.folder.note.recordingId);
    if (end === 'nothing') words.say('No audio was recorded, so there is no recording.');
    if (end === 'kept') words.say(keptInWords(recording.folder));
    if (end === 'untold')
      words.say(
        'Everything was sent, but the server doesn’t know yet when the recording began. ' +
          'Run mitschrift record again to tell it.',
      );
    return { sent: 0, nothing: 0, kept: 1, untold: notAllSentCode }[end];
  } catch (error) {
    words.say(messageOf(error));
    return 1;
  }
}

const keptInWords = ({ path, note }: DeskFolder): string =>
  `${note.server} no longer accepts the recording from ${note.startedAt}: ${note.refused} ` +
  `The audio is saved in ${join(path, audioFileName)}. Upload it there, or delete the folder.`;

/** Says on standard error how recordings of this desk are. */
interface RecordWords {
  show(states: readonly DeskState[]): void;
  /** A line of its own. */
  say(text: string): void;
  /** The last state gets its own line. */
  end(): void;
}

/** On a terminal one line that changes; elsewhere a line when something other than the time has changed. */
function recordWords(): RecordWords {
  const stream = process.stderr;
  let shown = '';
  const clear = () => (stream.isTTY && shown !== '' ? '\r\u001B[K' : '');
  return {
    show(states) {
      const line = states.map((state) => stateInWords(state, stream.isTTY)).join(' · ');
      if (line === shown || line === '') return;
      stream.write(stream.isTTY ? `${clear()}${line.slice(0, stream.columns - 1)}` : `${line}\n`);
      shown = line;
    },
    say(text) {
      stream.write(`${clear()}${text}\n`);
      shown = '';
    },
    end() {
      if (stream.isTTY && shown !== '') stream.write('\n');
      shown = '';
    },
  };
}

const phases: Record<DeskState['phase'], string> = {
  starting: 'starting',
  recording: 'recording',
  paused: 'paused',
  sending: 'sending the rest',
};

/** @param isLive with what changes all the time */
function stateInWords(state: DeskState, isLive: boolean): string {
  const { phase, seconds, unsentSeconds, level, device, away } = state;
  const parts = [phases[phase]];
  if (isLive) parts.push(clock(seconds));
  if (isLive && phase === 'recording') parts.push(`level ${bar(level)}`);
  if (device !== null) parts.push(device);
  if (away !== null) parts.push(away);
  // A second or two are always on their way.
  const unsent = unsentSeconds < 3 ? '' : `${clock(unsentSeconds)} not sent yet`;
  if (isLive && phase !== 'starting') parts.push(unsent === '' ? 'all sent' : unsent);
  else if (away !== null && phase !== 'starting') parts.push('saved here');
  return parts.filter((part) => part !== '').join(', ');
}

const bars = 10;

/** Quieter is nothing, in decibels below full scale. */
const floorDb = -60;

/** Of a peak from 0 to 1. */
function bar(level: number | null): string {
  const db = level === null || level === 0 ? floorDb : 20 * Math.log10(level);
  const filled = Math.round(bars * Math.min(1, Math.max(0, 1 - db / floorDb)));
  return '█'.repeat(filled) + '░'.repeat(bars - filled);
}
