/** Pairs that one corrected in several notes, and might want to be written so always. */
import { persistentJSON } from '@nanostores/persistent';
import { atom, computed } from 'nanostores';
import { offer, toast } from '../app/toasts.ts';
import { type Answered, answer, api, problemIn } from '../client/api.ts';
import { session } from '../client/session.ts';
import { tellRecent } from '../order/recent.ts';
import { deleteWord, hasWords, readWords, saveWord, spelling } from './spelling.ts';
import { words } from './words.ts';

export type Suggestion = Answered<'suggestWords'>['suggestions'][number];
type Pair = Pick<Suggestion, 'write' | 'heard'>;

const all = atom<readonly Suggestion[]>([]);
/** Of this browser: what was dismissed, and what was offered in a message. */
const dismissed = persistentJSON<readonly string[]>('mitschrift.words-dismissed', []);
const offered = persistentJSON<readonly string[]>('mitschrift.words-offered', []);
const keptMax = 500;

const keyOf = ({ write, heard }: Pair): string =>
  JSON.stringify([session.get()?.username, write, heard]);

/** Those that were not dismissed here. */
export const suggestions = computed([all, dismissed], (found, gone) =>
  found.filter((one) => !gone.includes(keyOf(one))),
);

/** Without an answer what was known stays. */
export async function readSuggestions(): Promise<readonly Suggestion[]> {
  await answer(api.GET('/words/suggestions')).then((now) => all.set(now.suggestions), problemIn);
  return suggestions.get();
}

export const dismiss = (one: Pair): void => note(dismissed, one);

const note = (list: typeof dismissed, one: Pair): void =>
  list.set([...list.get(), keyOf(one)].slice(-keptMax));

/** From now on it is written so; says so, with a way back. @throws {ApiError} */
export async function takeOver({ write, heard, word }: Suggestion): Promise<void> {
  if (spelling.mine.get() === null) await readWords('mine');
  const former = spelling.mine.get()?.words.find(({ id }) => id === word);
  const wanted = former
    ? { ...former, heard: [...former.heard, heard] }
    : { write, heard: [heard], folder: null };
  const id = await saveWord('mine', former?.id ?? null, wanted);
  await readSuggestions();
  const back = async () => {
    if (former) await saveWord('mine', id, former);
    else await deleteWord('mine', id);
    await readSuggestions();
  };
  tellRecent(words.get().writtenSo({ write }), back);
}

/** After a correction: a pair of it that was corrected in another note too is offered, once. */
export async function offerAlways(
  edits: readonly { from: { text?: string }; to: { text?: string } }[],
): Promise<void> {
  const found = await readSuggestions();
  const one = found.find(
    (pair) =>
      !offered.get().includes(keyOf(pair)) &&
      edits.some(
        ({ from, to }) =>
          hasWords(from.text ?? '', pair.heard) && hasWords(to.text ?? '', pair.write),
      ),
  );
  if (one === undefined) return;
  note(offered, one);
  const said = words.get();
  // Of what is refused a message says so: where it was asked is no place for it any more.
  const refused = (error: unknown) => {
    problemIn(error);
    toast(words.get().notSaved);
  };
  offer(said.askAlways({ write: one.write }), said.always, () => void takeOver(one).catch(refused));
}
