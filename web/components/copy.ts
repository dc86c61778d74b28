/** Putting texts on the clipboard. */
import { announce } from '../app/announce.ts';
import { words } from './words.ts';

/** Copies a text, and says so. @returns false when the browser does not allow it: that is to be seen beside the text */
export async function copyAndSay(text: string): Promise<boolean> {
  const isCopied = await copyText(text);
  if (isCopied) announce(words.get().copied);
  return isCopied;
}

/**
 * Puts a text on the clipboard; also where the page is not on a secure address, by the browser's own copying.
 * @returns false when the browser allows neither
 */
export async function copyText(text: string): Promise<boolean> {
  if ('clipboard' in navigator) {
    const isWritten = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isWritten) return true;
  }
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  addEventListener('copy', give, { capture: true });
  const isDone = document.execCommand('copy');
  removeEventListener('copy', give, { capture: true });
  return isDone;
}
