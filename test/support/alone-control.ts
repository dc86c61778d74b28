import type { BrowserControl } from '../../src/capture/browser/browser-captures.ts';

/** Where the test itself acts for each recording. */
export const aloneControl: BrowserControl = {
  takeOver: async () => true,
  stopElsewhere() {},
  sharesFolders: false,
};
