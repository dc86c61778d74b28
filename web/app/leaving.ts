/** A page with changes that are not saved asks before it is left: by a link, by the browser's Back, or for good. */
import { onSet } from 'nanostores';
import { router } from './routes.ts';

/**
 * @param holds whether there is something to lose
 * @param ask called instead of leaving; `leave` leaves after all. Going elsewhere on the same page is no leaving, unless to
 * another part of it (`ofPart`).
 * @returns how to stop asking
 */
export function askBeforeLeaving(
  holds: () => boolean,
  ask: (leave: () => void) => void,
  { ofPart = false } = {},
): () => void {
  const placeOf = (page: ReturnType<typeof router.get>): string =>
    `${page?.route} ${ofPart ? new URLSearchParams(page?.search).get('part') : ''}`;
  const here = placeOf(router.get());
  const stop = onSet(router, ({ newValue, abort }) => {
    if (placeOf(newValue) === here || !holds()) return;
    abort();
    const target = addressOf(newValue);
    // Back has moved the address already: it returns to where the page still is, and the router hears of it,
    // else it would take the next Back, and leaving after all, for where it has been already.
    const staying = addressOf(router.get());
    const { pathname, searchParams } = new URL(staying, location.origin);
    const search = new URLSearchParams(location.search);
    if (location.pathname !== pathname || `${search}` !== `${searchParams}`) {
      history.pushState(null, '', staying);
      dispatchEvent(new PopStateEvent('popstate'));
    }
    ask(() => {
      stop();
      router.open(target);
    });
  });
  const unloading = (event: BeforeUnloadEvent) => {
    if (holds()) event.preventDefault();
  };
  addEventListener('beforeunload', unloading);
  return () => {
    stop();
    removeEventListener('beforeunload', unloading);
  };
}

function addressOf(page: ReturnType<typeof router.get>): string {
  if (page === undefined) return '/';
  const search = new URLSearchParams(page.search).toString();
  return page.path + (search === '' ? '' : `?${search}`) + page.hash;
}
