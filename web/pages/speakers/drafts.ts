import type { Names } from './naming.ts';

/** Names that were typed and not sent yet, by `namedKey`: they stay while the app is open. */
export const drafts = new Map<string, Names>();
