/**
 * Where in a list somebody is, kept in the entry of the browser's history: Back and a reload return there. Rows say
 * which they are by `data-row` (an id) and `data-at` (their number, from 1).
 */

/** `top`: pixels from the window's upper edge to the row's; `left`: that row was opened, and gets the focus back. */
export type Place = { id: string; at: number; top: number; left: boolean };

/** A place is kept when nothing has moved for so long, milliseconds. */
const restMs = 200;
/** Rows are brought back for so long at most, milliseconds, until they have stayed for so many frames. */
const patienceMs = 10_000;
const calmFrames = 20;

/** The place that this entry of the history holds; in an address that came from elsewhere `#<id>` says the row alone. */
export function placeHere(): Place | null {
  const { place } = (history.state ?? {}) as { place?: Partial<Place> };
  if (typeof place?.id === 'string' && typeof place.top === 'number')
    return { id: place.id, at: Number(place.at) || 1, top: place.top, left: place.left === true };
  const [, id] = /^#([0-9A-Z]{26})$/.exec(location.hash) ?? [];
  return id === undefined ? null : { id, at: 1, top: belowHead(), left: false };
}

/** Keeps the place of a list as it is scrolled and left, and the row in the address. @returns how to stop */
export function followPlace(list: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const scrolled = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const row = scrollY === 0 ? null : topRow(list);
      keep(row && placeOf(row, false));
    }, restMs);
  };
  const pressed = (event: Event) => {
    if (!(event.target instanceof Element) || event.target.closest('a') === null) return;
    const row = event.target.closest<HTMLElement>('[data-row]');
    if (row === null) return;
    clearTimeout(timer);
    keep(placeOf(row, true));
  };
  addEventListener('scroll', scrolled, { passive: true });
  // Before the router hears of it, which opens another entry of the history.
  list.addEventListener('click', pressed, true);
  return () => {
    clearTimeout(timer);
    removeEventListener('scroll', scrolled);
    list.removeEventListener('click', pressed, true);
  };
}

/**
 * Brings a row back to where it was, and holds it there while what is round it still comes; until somebody scrolls,
 * presses or types.
 * @param bring has the row made, which may be too far away to be in the page
 * @returns how to stop
 */
export function returnTo(list: HTMLElement, place: Place, bring: () => void): () => void {
  const begun = performance.now();
  const selector = `[data-row="${CSS.escape(place.id)}"]`;
  let calm = 0;
  let frame = requestAnimationFrame(step);
  const stop = () => {
    cancelAnimationFrame(frame);
    for (const name of byHand) removeEventListener(name, stop, true);
  };
  for (const name of byHand) addEventListener(name, stop, { capture: true, passive: true });
  return stop;

  function step(): void {
    const row = list.querySelector<HTMLElement>(selector);
    const away = row === null ? Infinity : row.getBoundingClientRect().top - place.top;
    calm = Math.abs(away) < 1.5 ? calm + 1 : 0;
    if (row === null) bring();
    else if (calm === 0) scrollBy({ top: away, behavior: 'instant' });
    if (calm >= calmFrames && row !== null) {
      if (place.left) focusAgain(row);
      stop();
    } else if (performance.now() - begun < patienceMs) {
      frame = requestAnimationFrame(step);
    } else {
      stop();
    }
  }
}

const byHand = ['wheel', 'touchstart', 'pointerdown', 'keydown'];

/** Unless something else was chosen meanwhile: a new page gives the focus to its heading. */
function focusAgain(row: HTMLElement): void {
  const { activeElement } = document;
  if (activeElement?.closest('a, button, input, select, textarea, dialog')) return;
  row.querySelector('a')?.focus({ preventScroll: true });
}

/** Pixels that the head of the page, and a heading below it, cover. */
const belowHead = (): number =>
  Math.max(0, document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0) + headingHeight;
const headingHeight = 40;

function topRow(list: HTMLElement): HTMLElement | null {
  const above = belowHead();
  for (const row of list.querySelectorAll<HTMLElement>('[data-row]'))
    if (row.getBoundingClientRect().bottom > above) return row;
  return null;
}

const placeOf = (row: HTMLElement, left: boolean): Place => ({
  id: row.dataset['row'] ?? '',
  at: Number(row.dataset['at']),
  top: row.getBoundingClientRect().top,
  left,
});

function keep(place: Place | null): void {
  const address = location.pathname + location.search + (place === null ? '' : `#${place.id}`);
  history.replaceState(place && { place }, '', address);
}
