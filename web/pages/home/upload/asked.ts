/** Whether the dialog for files is shown: any page may ask for it. */
import { atom } from 'nanostores';

export const uploadAsked = atom(false);
