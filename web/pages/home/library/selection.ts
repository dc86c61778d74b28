/** Several notes at once: which are chosen, while some are. */
import { atom } from 'nanostores';

export type Selection = {
  /** Whether boxes are shown; also with nothing chosen yet. */
  picking: boolean;
  ids: ReadonlySet<string>;
};

/** @param inOrder ids of the notes that are read, as they stand */
export function openSelection(inOrder: () => readonly string[]) {
  const selection = atom<Selection>({ picking: false, ids: new Set() });
  /** From where a range is counted, and what the last one added. */
  let anchor: string | null = null;
  let range: readonly string[] = [];

  const set = (ids: Iterable<string>) => selection.set({ picking: true, ids: new Set(ids) });

  return {
    selection,
    begin(): void {
      set([]);
    },
    toggle(id: string): void {
      const ids = new Set(selection.get().ids);
      if (!ids.delete(id)) ids.add(id);
      anchor = id;
      range = [];
      set(ids);
    },
    /** All from the one chosen last to this one. */
    extendTo(id: string, from: string = anchor ?? id): void {
      const order = inOrder();
      const [a, b] = [order.indexOf(from), order.indexOf(id)];
      if (a === -1 || b === -1) return;
      const ids = new Set(selection.get().ids);
      // A range that is drawn anew takes back what it had.
      for (const one of range) ids.delete(one);
      range = order.slice(Math.min(a, b), Math.max(a, b) + 1);
      for (const one of range) ids.add(one);
      anchor = from;
      set(ids);
    },
    choose: (ids: readonly string[]): void => set(ids),
    /** Those that are no more leave it. */
    drop(gone: ReadonlySet<string>): void {
      const { ids, picking } = selection.get();
      selection.set({ picking, ids: new Set([...ids].filter((id) => !gone.has(id))) });
    },
    end(): void {
      anchor = null;
      range = [];
      selection.set({ picking: false, ids: new Set() });
    },
  };
}
