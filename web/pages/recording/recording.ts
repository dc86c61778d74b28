import type { Recording, Turn } from './turn-key.ts';
/** What a recording's page knows: the recording as the service last said it, kept fresh by the feed. */
import { type ReadableAtom, atom } from 'nanostores';
import { ApiError, type Problem, type Schema, answer, api } from '../../client/api.ts';
import { type Frame, connection, onFrame } from '../../client/feed.ts';
import { onceMore } from '../../../src/shared/once-more.ts';
import { session } from '../../client/session.ts';
import { forgetUnsent } from '../../client/unsent-sidenotes.ts';
import { type SpeakerMark, speakerMark, speakerNumberOf } from '../../components/speaker-marks.ts';
import { forgetDrafts } from './drafts.ts';
import { turnOf, withTurns, withUtterance } from './live/heard.ts';
import type { Heard } from './live/heard.ts';

export type SummaryLine = Recording['summary']['lines'][number];

/** `behind`: seconds of what was said that are not recognised yet. */
export type Shown = Heard & { behind: number | null };
export type RecordingState =
  | { state: 'loading' }
  | { state: 'there'; shown: Shown }
  | { state: 'missing' }
  /** It went into the note that it continues. */
  | { state: 'continued'; to: string }
  | { state: 'failed'; problem: Problem };

export type OpenRecording = {
  state: ReadableAtom<RecordingState>;
  /** Paths of the three documents, as they were saved last while it was open. */
  saved: ReadableAtom<Schema<'DocumentPaths'> | null>;
  /** Asks again, and resolves when the answer is shown. @returns whether there was one */
  refresh(): Promise<boolean>;
  close(): void;
};

/** Opens a recording and follows it: whenever a fact of it comes, it is read again. */
export function openRecording(id: string): OpenRecording {
  const state = atom<RecordingState>({ state: 'loading' });
  const saved = atom<Schema<'DocumentPaths'> | null>(null);
  /** What was recognised while this is open. */
  const finals = new Map<number, Turn>();
  const shownNow = () => {
    const now = state.get();
    return now.state === 'there' ? now.shown : undefined;
  };
  /** The last answer did not come: what is shown may be old. */
  let missed = false;
  let isReading = false;

  const read = onceMore(async () => {
    isReading = true;
    try {
      const recording = await answer(api.GET('/recordings/{id}', { params: { path: { id } } }));
      missed = false;
      const { heard = [], behind = null } = shownNow() ?? {};
      const isLive = recording.status === 'RECORDING';
      // What was heard since it was asked for; once it has ended nothing more is guessed.
      const shown = { recording: withTurns(recording, isLive ? [...finals.values()] : []) };
      const guesses = isLive ? heard : [];
      state.set({ state: 'there', shown: { ...shown, heard: guesses, behind } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      missed = error.problem.status !== 404;
      if (error.problem.status === 404) state.set(afterIts(state.get(), id));
      // What is shown stays: the strip above the page says that the service is away.
      else if (state.get().state !== 'there')
        state.set({ state: 'failed', problem: error.problem });
    } finally {
      isReading = false;
    }
  });
  const refresh = async (): Promise<boolean> => {
    await read();
    return !missed;
  };

  // Of another person's note what was said, and written, while the connection was away does not come with it.
  const stopWatching = connection.listen((now, before) => {
    if (now.state === 'open' && (missed || before?.state === 'away')) void refresh();
  });
  const stopFrames = onFrame((frame) => {
    if (frame.type === 'access') void refresh();
    if (!('recording_id' in frame) || frame.recording_id !== id) return;
    if (frame.type === 'saved') saved.set(frame.paths);
    // The answer that is on its way may be older than a side note.
    if (movesOn(frame) || (frame.type === 'sidenote' && isReading)) void refresh();
    if (frame.type === 'utterance' && frame.final) finals.set(frame.index, turnOf(frame));
    const now = shownNow();
    if (now !== undefined) state.set({ state: 'there', shown: withFrame(now, frame) });
  });
  void refresh();
  return { state, saved, refresh, close: () => (stopWatching(), stopFrames()) };
}

/** What a side note says, and what was recognised, stands in frames of their own: of a day's talk each reading is megabytes. */
const movesOn = (frame: Frame): boolean =>
  frame.type === 'transition' &&
  !frame.event.startsWith('sidenote.') &&
  frame.event !== 'speech.followed';

/** What a frame says, without reading the whole recording again. */
function withFrame(shown: Shown, frame: Frame): Shown {
  const { recording, behind } = shown;
  if (frame.type === 'utterance') return { ...withUtterance(shown, frame), behind };
  if (frame.type === 'sidenote') return { ...shown, recording: withSidenote(recording, frame) };
  if (frame.type !== 'progress') return shown;
  const now = frame.behind ?? behind;
  return { ...shown, recording: withProgress(recording, frame), behind: now };
}

/** What there is to be seen of a note that is gone, and what this browser keeps of it. */
function afterIts(last: RecordingState, id: string): RecordingState {
  forgetDrafts(session.get()?.username ?? '', id);
  const recording = last.state === 'there' ? last.shown.recording : undefined;
  const into = recording?.origins.find(({ how }) => how === 'continues')?.recording_id;
  // What was typed and not sent is the person's still where the note is in another.
  if (into !== undefined && recording?.stage === 'continue')
    return { state: 'continued', to: into };
  forgetUnsent(id);
  return { state: 'missing' };
}

/** How far a stage is, without reading the whole recording again. */
const withProgress = (
  recording: Recording,
  { stage, fraction }: { stage: Recording['activities'][number]['stage']; fraction: number | null },
): Recording => ({
  ...recording,
  ...(recording.stage === stage ? { fraction } : {}),
  activities: recording.activities.map((one) => (one.stage === stage ? { ...one, fraction } : one)),
});

type SidenoteFrame = Extract<Frame, { type: 'sidenote' }>;

/** A side note that was written, edited or removed, without reading the whole recording again. */
function withSidenote(recording: Recording, frame: SidenoteFrame): Recording {
  const { note, change, text = '', at = 0, block = null, mark = false, by } = frame;
  const others = recording.sidenotes.filter((one) => one.note !== note);
  const before = recording.sidenotes.find((one) => one.note === note);
  if (change === 'removed') return { ...recording, sidenotes: others };
  const now = new Date().toISOString();
  if (change === 'edited') {
    const edited = before && { ...before, text, edited_at: now };
    return { ...recording, sidenotes: inOrder([...others, ...(edited ? [edited] : [])]) };
  }
  const written = {
    recording_id: recording.recording_id,
    note,
    at,
    block,
    mark,
    text,
    by,
    own: by === recording.owner,
    written_at: now,
    edited_at: null,
  };
  return { ...recording, sidenotes: inOrder([...others, before ?? written]) };
}

const inOrder = (notes: Recording['sidenotes']): Recording['sidenotes'] =>
  notes.toSorted((a, b) => a.at - b.at || a.note - b.note);

/** A speaker as a page shows them. */
export type Speaker = {
  label: string;
  name: string;
  /** Whether somebody gave the name; else it is a number. */
  isNamed: boolean;
  mark: SpeakerMark;
  seconds: number;
};

/**
 * The speakers of a recording in the order of first speech.
 * @param unnamed what is shown of a speaker without a name, by number
 */
export function speakersOf(
  recording: Pick<Recording, 'speakers'>,
  unnamed: (number: number) => string,
): Map<string, Speaker> {
  const speakers = recording.speakers.map(({ label, name, seconds }) => ({
    label,
    name: name === null || name === '' ? unnamed(speakerNumberOf(label)) : name,
    isNamed: name !== null && name !== '',
    mark: speakerMark(label, name),
    seconds,
  }));
  return new Map(speakers.map((speaker) => [speaker.label, speaker]));
}
