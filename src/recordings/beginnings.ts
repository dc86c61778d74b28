import type { RecordingFact } from '../../events/facts/recording.ts';
import { type ChosenAtStart, type Known, type Ordering, begunBy } from '../../projections/rules.ts';

/** What a person gave with a new recording. */
export type Wanted = ChosenAtStart & {
  title?: string | undefined;
  /** Names of people who may be heard. */
  people?: string[] | undefined;
};

export type Start = Wanted & {
  /** A ULID the caller has made up: what it holds for the recording can be named before it starts. */
  recordingId: string;
  owner: string;
  by: string;
  command: string;
  speakers: number | null;
  /** Name of the host's input device; null for a browser's microphone. */
  device: string | null;
  /** Id of the ended recording into which it goes when it has ended. */
  continues?: string | undefined;
  /** What started it: `api`, `hotkey`, `tray`, `browser`. */
  trigger: string;
};

/** The facts with which it begins. Pure. */
export function startedWith(
  {
    recordingId: _id,
    by: _by,
    command: _command,
    title,
    people,
    folder,
    kind,
    usualKind,
    language,
    continues,
    ...origin
  }: Start,
  ordering: Ordering,
  now = new Date(),
): RecordingFact[] {
  const { device } = origin;
  const known: Known = {
    source: device === null ? 'browser' : 'device',
    device,
    fileName: null,
    startedAt: now.toISOString(),
    title: title ?? null,
  };
  const { facts, ...begun } = begunBy(
    { kind, usualKind, language, folder },
    ordering,
    continues === undefined ? known : null,
  );
  const data = { ...origin, ...begun, ...(continues === undefined ? {} : { continues }) };
  const content = said({ title, people });
  return [{ type: 'recording.started', data, content }, ...facts];
}

/** What a person said of a recording at its beginning, as far as they did. */
export const said = ({
  title,
  people = [],
}: {
  title: string | undefined;
  people: string[] | undefined;
}): { title?: string; people?: string[] } => ({
  ...(title === undefined ? {} : { title }),
  ...(people.length === 0 ? {} : { people }),
});
