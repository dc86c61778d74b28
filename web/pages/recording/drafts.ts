/**
 * Corrections that are not saved yet, by block, kept in this browser by account and recording: another pen, a link,
 * Back, Esc, a session that ended or a closed tab lose none. Tabs of the same browser share them.
 */
import { type ReadableAtom, atom } from 'nanostores';
import type { Edit } from './find.ts';
import type { Recording, Turn } from './turn-key.ts';

/** A turn that is being corrected, or was left while it was. */
export type Draft = {
  block: string;
  text: string;
  /** Label of the speaker. */
  speaker: string | null;
  /** Of which transcript that is (`speakers_revision`): in another one a label may be another voice. */
  of?: string | null | undefined;
  /** Name of a person who is none of the speakers yet. */
  newName?: string | undefined;
  /** Of a side note that is written on a passage: its block, or nothing where that has none yet. */
  about?: string | undefined;
  /** What the turn said when this began, or when the person last saw that it says something else. */
  before: Said;
  /** Where the turn is in the recording, seconds: ids of blocks may come to name another one. */
  span: [start: number, end: number];
  /** When it was last written on, milliseconds of the epoch. */
  at: number;
  /** Of a new line of which it is not known whether it was added: it goes once, as it went first. */
  sent?: SentLine | undefined;
  /** What the turn says now, when it was changed meanwhile. */
  meanwhile?: string | undefined;
};
/** A new line of a summary, and the key under which it is sent. */
export type SentLine = {
  key: string;
  text: string;
  kind: Recording['summary']['lines'][number]['kind'];
  after?: string;
};
export type Said = { text: string; speaker: string | null };

export type Drafts = {
  all: ReadableAtom<ReadonlyMap<string, Draft>>;
  put(draft: Draft): void;
  drop(block: string): void;
  /** The browser has no room: what is typed is in this page only. */
  isFull: ReadableAtom<boolean>;
  close(): void;
};

/** Older ones are forgotten, days. */
const keptDays = 90;

/** Drafts of a person's for a recording. @param person name of the account */
export function openDrafts(person: string, recording: string): Drafts {
  const key = keyOf(person, recording);
  const all = atom<ReadonlyMap<string, Draft>>(readDrafts(key));
  const isFull = atom(false);
  const write = (drafts: ReadonlyMap<string, Draft>): void => {
    all.set(drafts);
    try {
      if (drafts.size === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify([...drafts.values()]));
      isFull.set(false);
    } catch {
      isFull.set(true);
    }
  };
  // Another tab wrote, or saved.
  const heard = (event: StorageEvent) => event.key === key && all.set(readDrafts(key));
  addEventListener('storage', heard);
  return {
    all,
    isFull,
    put: (draft) => write(new Map(all.get()).set(draft.block, draft)),
    drop(block) {
      const rest = new Map(all.get());
      if (rest.delete(block)) write(rest);
    },
    close: () => removeEventListener('storage', heard),
  };
}

/** What a person cannot read any more is not kept for them: the recording was erased, or is another's by now. */
export function forgetDrafts(person: string, recording: string): void {
  const parts = [summaryDraftsOf, sidenoteDraftsOf, titleDraftsOf].map((of) => of(recording));
  for (const one of [recording, ...parts]) localStorage.removeItem(keyOf(person, one));
}

/** Under which drafts of a recording's summary are kept, apart from those of its turns. */
export const summaryDraftsOf = (recording: string): string => `${recording}.summary`;

/** And those of its side notes. */
export const sidenoteDraftsOf = (recording: string): string => `${recording}.sidenotes`;

/** And that of its title. */
export const titleDraftsOf = (recording: string): string => `${recording}.title`;

const keyOf = (person: string, recording: string): string =>
  `mitschrift.drafts.${person}.${recording}`;

function readDrafts(key: string): ReadonlyMap<string, Draft> {
  const since = Date.now() - keptDays * 86_400_000;
  let found: unknown;
  try {
    found = JSON.parse(localStorage.getItem(key) ?? '[]');
  } catch {
    found = [];
  }
  const drafts = (Array.isArray(found) ? found : []) as Draft[];
  return new Map(drafts.filter(({ at }) => at > since).map((draft) => [draft.block, draft]));
}

/** A draft in which nothing was changed yet. */
export const newDraft = (
  block: string,
  text: string,
  span: Draft['span'] = [0, 0],
  speaker: string | null = null,
): Draft => ({ block, text, speaker, before: { text, speaker }, span, at: Date.now() });

/** A draft of what a turn says now; null for one that is only recognised so far. */
export const draftOf = ({ block, text, speaker, start, end }: Turn): Draft | null =>
  block === null ? null : newDraft(block, text, [start, end], speaker);

/** The turn that a draft is of; undefined when there is none any more: it was joined, or recognised anew. */
export const turnOfDraft = (
  { block, span: [start, end] }: Draft,
  turns: readonly Turn[],
): Turn | undefined =>
  turns.find((turn) => turn.block === block && turn.start < end && turn.end > start);

/** What was typed, as it is sent. */
export const tidy = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The edit that a draft is; null when nothing was changed. */
export function editOf(draft: Draft): Edit | null {
  const { block, speaker, newName, before } = draft;
  const text = tidy(draft.text);
  const wanted = newName?.trim() || speaker;
  const edit: Edit = { block, from: {}, to: {} };
  if (text !== before.text) [edit.from.text, edit.to.text] = [before.text, text];
  if (wanted !== null && before.speaker !== null && wanted !== before.speaker)
    [edit.from.speaker, edit.to.speaker] = [before.speaker, wanted];
  return Object.keys(edit.to).length === 0 ? null : edit;
}
