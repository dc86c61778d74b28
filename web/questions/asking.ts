/** Asks questions, and what came of the last one: an answer is kept in the page that asked, nowhere else. */
import { type ReadableAtom, atom } from 'nanostores';
import { announce } from '../app/announce.ts';
import { type Answered, type Problem, type Sent, answer, api, problemIn } from '../client/api.ts';
import { words } from './words.ts';

type Body = Sent<'ask'>;
export type Answer = Answered<'ask'>;
export type Cite = Answer['nearest'][number];

export type Questioning<Asked> =
  | { state: 'idle' }
  | { state: 'asking'; asked: Asked }
  | { state: 'answered'; asked: Asked; answer: Answer }
  | { state: 'refused'; asked: Asked; problem: Problem };

export type Asker<Asked> = {
  now: ReadableAtom<Questioning<Asked>>;
  /** Asks, instead of what is asked. Resolves when it is answered, refused or given up. */
  ask(asked: Asked): Promise<void>;
  /** Gives up what is asked, or puts the answer away. */
  leave(): void;
  /** Puts away what of the answer rests on a recording that is gone. */
  drop(recordingId: string): void;
};

type Asking<Asked> = {
  bodyOf(asked: Asked): Body;
  /** Said while it is not answered. */
  reading(): string;
  /** Said of an answer without lines. */
  noneOf(asked: Asked, answer: Answer): string;
};

export function openAsker<Asked>({ bodyOf, reading, noneOf }: Asking<Asked>): Asker<Asked> {
  const now = atom<Questioning<Asked>>({ state: 'idle' });
  let asking: AbortController | undefined;
  return {
    now,
    async ask(asked) {
      asking?.abort();
      const { signal } = (asking = new AbortController());
      now.set({ state: 'asking', asked });
      announce(reading());
      try {
        const found = await answer(api.POST('/questions', { body: bodyOf(asked), signal }));
        if (signal.aborted) return;
        now.set({ state: 'answered', asked, answer: found });
        const { length } = found.lines;
        announce(length > 0 ? words.get().lines(length) : noneOf(asked, found));
      } catch (error) {
        if (signal.aborted) return;
        now.set({ state: 'refused', asked, problem: problemIn(error) });
        announce(words.get().notAnswered);
      }
    },
    leave() {
      asking?.abort();
      asking = undefined;
      now.set({ state: 'idle' });
    },
    drop(id) {
      const shown = now.get();
      if (shown.state !== 'answered') return;
      const isLeft = ({ recording_id: of }: Cite) => of !== id;
      const lines = shown.answer.lines.filter(({ cites }) => cites.every(isLeft));
      const nearest = shown.answer.nearest.filter(isLeft);
      now.set({ ...shown, answer: { ...shown.answer, lines, nearest } });
    },
  };
}

/** An answer as text, each line with what it rests on and a link to it. @param speakerOf their name; null: unknown */
export function answerText(
  { lines }: Answer,
  heading: string,
  speakerOf: (cite: Cite) => string | null,
): string {
  const quoted = (cite: Cite) => {
    const speaker = speakerOf(cite);
    const said = words.get().quoted({ quote: cite.quote });
    const link = `${location.origin}/notes/${cite.recording_id}?t=${Math.floor(cite.start)}`;
    return `  ${speaker === null ? '' : `${speaker}: `}${said} ${link}`;
  };
  const said = lines.map(({ text, cites }) => [`- ${text}`, ...cites.map(quoted)].join('\n'));
  return [heading, '', ...said].join('\n');
}
