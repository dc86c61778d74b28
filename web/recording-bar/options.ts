/** Whether a person is asked what is recorded before it is. */
import { atom } from 'nanostores';

export const optionsShown = atom(false);
