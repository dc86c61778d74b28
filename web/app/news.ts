/** What is new in this release, said once to who used an earlier one in this browser. */
import { persistentAtom } from '@nanostores/persistent';
import { computed } from 'nanostores';

/** The release that the words of `News.svelte` are about. */
export const newest = '0.2.0';

/** The newest release whose news this browser knows; undefined: nobody has used it here. */
const seen = persistentAtom<string | undefined>('mitschrift.news');

export const hasNews = computed(
  seen,
  (known) => known !== undefined && known.localeCompare(newest, 'en', { numeric: true }) < 0,
);

/** The news were read. */
export const dismissNews = (): void => seen.set(newest);

/** Who begins with this release finds nothing in it new. */
export function beginWithNews(): void {
  if (seen.get() === undefined) dismissNews();
}
