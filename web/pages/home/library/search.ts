/** Search as it is typed. */
import { atom } from 'nanostores';
import { ApiError, type Problem, answer, api } from '../../../client/api.ts';
import type { Hit } from './rows.ts';

export type Found = {
  question: string;
  hits: Hit[];
  /** Share of the notes that were searched, 0 to 1. */
  fraction: number;
  problem: Problem | null;
};

/** Milliseconds of rest after a key before it is asked, and most hits that are shown. */
const restMs = 150;
const hitsMax = 100;
/** Until it is asked again while some notes are not searched yet, milliseconds. */
const againMs = 1000;

/** Characters of a question that are sent: the service takes no more. */
const charactersMax = 400;

/** Answers questions; one that is asked before the last was answered takes its place. */
export function openSearch() {
  const found = atom<Found | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  async function ask(question: string): Promise<void> {
    const mine = (asking = new AbortController());
    try {
      const query = { q: question.slice(0, charactersMax), limit: hitsMax };
      const { hits, fraction } = await answer(
        api.GET('/search', { params: { query }, signal: mine.signal }),
      );
      if (asking !== mine) return;
      found.set({ question, hits, fraction, problem: null });
      if (fraction < 1) timer = setTimeout(() => void ask(question), againMs);
    } catch (error) {
      if (mine.signal.aborted || asking !== mine) return;
      if (!(error instanceof ApiError)) throw error;
      found.set({ question, hits: [], fraction: 0, problem: error.problem });
    }
  }

  const forget = () => {
    clearTimeout(timer);
    asking?.abort();
    asking = undefined;
  };

  return {
    found,
    /** What is typed now; nothing closes the search. */
    type(text: string): void {
      forget();
      const question = text.trim();
      if (question === '') found.set(null);
      else timer = setTimeout(() => void ask(question), restMs);
    },
    /** At once, also when nothing was typed since. */
    again: (question: string): Promise<void> => (forget(), ask(question)),
    stop: forget,
  };
}

/** A snippet in pieces, those that were asked for marked: words that begin as a word of the question. */
export function markedPieces(snippet: string, question: string): { text: string; hit: boolean }[] {
  const asked = wordsIn(question).map(folded);
  const pieces: { text: string; hit: boolean }[] = [];
  let rest = 0;
  for (const { index, 0: word } of snippet.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!asked.some((one) => folded(word).startsWith(one))) continue;
    if (index > rest) pieces.push({ text: snippet.slice(rest, index), hit: false });
    pieces.push({ text: word, hit: true });
    rest = index + word.length;
  }
  if (rest < snippet.length) pieces.push({ text: snippet.slice(rest), hit: false });
  return pieces;
}

/** The longest word of a question of several: perhaps it alone is found. */
export function mainWord(question: string): string | null {
  const asked = wordsIn(question);
  return asked.length < 2 ? null : asked.reduce((a, b) => (b.length > a.length ? b : a));
}

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** Without case and accents, as the service compares. */
const folded = (word: string): string =>
  word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
