/** Keeps what is being written where it is on the screen, when something above it grows or goes. */

/**
 * By scrolling, and where there is nothing to be scrolled by room in `column`: `--room` below, `--raise` above one's own
 * notes. At once, so that no other change comes between. @param top where it was, pixels
 */
export function keepAt(anchor: HTMLElement, top: number, column: HTMLElement | undefined): void {
  if (column === undefined || !anchor.isConnected) return;
  const moved = () => anchor.getBoundingClientRect().top - top;
  if (moved() === 0) return;
  // What sticks to the lower edge of the screen does not show how far it was moved beyond it.
  const sticks = anchor.closest<HTMLElement>('.stays');
  sticks?.style.setProperty('position', 'static');
  const by = moved();
  const { style } = column;
  const pixels = (name: string) => Number.parseFloat(style.getPropertyValue(name)) || 0;
  const raise = pixels('--raise');
  // What made room before takes it back first.
  const raised = by > 0 ? Math.max(0, raise - by) : raise + Math.max(0, -by - scrollY);
  if (raised !== raise) style.setProperty('--raise', `${raised}px`);
  const missing = scrollY + moved() + innerHeight - document.documentElement.scrollHeight;
  if (missing > 0) style.setProperty('--room', `${pixels('--room') + Math.ceil(missing)}px`);
  scrollBy({ top: moved(), behavior: 'instant' });
  sticks?.style.removeProperty('position');
}
