/** Putting texts on the clipboard. */
import { announce } from '../app/announce.ts';
import { toast } from '../app/toasts.ts';
import { words } from './words.ts';

/** Copies a text, and says so. @returns false when the browser does not allow it: that is to be seen beside the text */
export async function copyAndSay(text: string): Promise<boolean> {
  const isCopied = await copyText(text);
  if (isCopied) announce(words.get().copied);
  return isCopied;
}

/** Copies a text of which the button is in a menu, or goes with it: a short message says whether it is copied. */
export async function copyAndToast(text: string): Promise<void> {
  const isCopied = await copyText(text);
  toast(isCopied ? words.get().copied : words.get().notCopied);
}

/**
 * Puts a text on the clipboard; also where the page is not on a secure address, by the browser's own copying.
 * @returns false when the browser allows neither
 */
async function copyText(text: string): Promise<boolean> {
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
