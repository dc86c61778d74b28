/** Questions about one note. */
import { type Asker, openAsker } from '../../../questions/asking.ts';
import { words } from '../../../questions/words.ts';
import type { Note } from '../changes.ts';

export type Asked = { question: string };
export type QuestionDesk = Asker<Asked>;

export const openQuestions = ({ id }: Pick<Note, 'id'>): QuestionDesk =>
  openAsker({
    bodyOf: ({ question }) => ({ recording_id: id, question }),
    reading: () => words.get().readingNote,
    noneOf: () => words.get().notFound,
  });
