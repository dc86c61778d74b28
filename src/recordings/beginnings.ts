import type { Kind, RecordingFact } from '../../events/facts/recording.ts';
import type { Personal } from '../../projections/personal.ts';

export type Start = {
  /** A ULID the caller has made up: what it holds for the recording can be named before it starts. */
  recordingId: string;
  owner: string;
  by: string;
  command: string;
  /** Left out: as its folder has it. */
  kind?: Kind | undefined;
  /** ISO 639-1 code; null: as heard. Left out: as its folder has it. */
  language?: string | null | undefined;
  speakers: number | null;
  title?: string | undefined;
  /** Names of people who may be heard. */
  people?: string[] | undefined;
  /** Id of one of the owner's folders. */
  folder?: string | null | undefined;
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
    language,
    continues,
    ...origin
  }: Start,
  personal: Pick<Personal, 'folders'>,
): RecordingFact[] {
  const data = {
    ...origin,
    ...beginningIn({ kind, language, folder }, personal),
    ...(continues === undefined ? {} : { continues }),
  };
  const content = said({ title, people });
  return [{ type: 'recording.started', data, content }, ...filedIn(folder)];
}

/** Kind and language: what was given, else what the folder says that was chosen. Pure. */
export function beginningIn(
  { kind, language, folder }: Pick<Start, 'kind' | 'language' | 'folder'>,
  { folders }: Pick<Personal, 'folders'>,
): { kind: Kind; language: string | null } {
  const chosen = folders.get(folder ?? '');
  return {
    kind: kind ?? chosen?.kind ?? 'solo',
    language: language === undefined ? (chosen?.language ?? null) : language,
  };
}

/** With the fact of its beginning, so that none begins outside of the folder that was chosen for it. */
export const filedIn = (folder: string | null | undefined): RecordingFact[] =>
  folder ? [{ type: 'recording.filed', data: { folder } }] : [];

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
