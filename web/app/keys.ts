/** Keys that act everywhere. */
import { persistentAtom } from '@nanostores/persistent';

/** Whether single letters act (WCAG 2.1.4), chosen in this browser; in a field they never do. */
export const singleLetters = persistentAtom<'on' | 'off'>('mitschrift.keys', 'on');
