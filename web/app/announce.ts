/** What screen readers say: two live regions that are in the page from the start (`Frame.svelte`). */
import { atom } from 'nanostores';

/** Said when there is a pause: started, stopped, saved, connected again, number of hits. */
export const polite = atom('');
/** Said at once: a recording is in danger. */
export const assertive = atom('');

/** What language it is said in, where that is not the page's. */
export const spokenIn = atom<string | null>(null);

/** @param lang of what people said */
export function announce(
  text: string,
  { danger = false, lang = null }: { danger?: boolean; lang?: string | null } = {},
): void {
  const region = danger ? assertive : polite;
  // The same text again is said again only when it was away; and what was in danger may be over.
  polite.set('');
  assertive.set('');
  queueMicrotask(() => {
    spokenIn.set(lang);
    region.set(text);
  });
}
