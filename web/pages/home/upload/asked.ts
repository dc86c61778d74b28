/** Whether the dialog for files is shown, which any page may ask for; and where files go that are chosen now. */
import { atom, computed } from 'nanostores';
import { router } from '../../../app/routes.ts';

export const uploadAsked = atom(false);

export type Kind = 'meeting' | 'solo';
/** Of files: their folder by id, '' is none; and what they are, null where nobody chose it for these. */
export type Choice = { folder: string; kind: Kind | null };

/** What the dialog says while it is open; else null. */
export const choice = atom<Choice | null>(null);

/** As the dialog says, else the folder that is looked into: that one is meant. */
export const chosenNow = computed([choice, router], (said, page): Choice => {
  if (said !== null) return said;
  const { folder = 'none' }: { folder?: string } = page?.route === 'home' ? page.search : {};
  return { folder: folder === 'none' ? '' : folder, kind: null };
});
