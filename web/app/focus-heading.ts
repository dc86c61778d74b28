/** How long a page may take until it has its heading, in milliseconds. */
const patience = 10_000;

/** Gives the focus to a heading, which takes none by itself; the page stays where it is. */
export function giveFocus(heading: HTMLElement): void {
  if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * Gives the focus to the heading of the page that is shown next, which is loaded late: unless a person, or the page
 * itself, has put it elsewhere by then. @returns how to stop waiting
 */
export function focusHeading(main: HTMLElement): () => void {
  const opener = document.activeElement;
  const look = () => {
    const focused = document.activeElement;
    const isTaken = focused !== opener && focused !== document.body && focused !== main;
    const heading = main.querySelector('h1');
    if (heading === null && !isTaken) return;
    stop();
    if (isTaken || heading === null) return;
    giveFocus(heading);
  };
  const watching = new MutationObserver(look);
  const timer = setTimeout(() => stop(), patience);
  const stop = () => {
    watching.disconnect();
    clearTimeout(timer);
  };
  watching.observe(main, { childList: true, subtree: true });
  // Behind the frame in which the former page goes.
  requestAnimationFrame(look);
  return stop;
}
