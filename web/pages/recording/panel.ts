/** Whether the transcript stands beside the document, as this browser had it last. */
import { persistentAtom } from '@nanostores/persistent';

export const panelShown = persistentAtom<'on' | 'off'>('mitschrift.transcript', 'on');
