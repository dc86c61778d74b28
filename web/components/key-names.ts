/** What keys are called: in the language of the page, and as they are labelled on this computer. */
import { computed } from 'nanostores';
import { words } from './words.ts';

type Words = NonNullable<(typeof words)['value']>;

const isMac = /^(?:Mac|iPhone|iPad)/.test(navigator.platform);

/** Keys pressed together, with spaces between, as `Ctrl K`, in the words that a person knows them by. */
export const namesOfKeys = (keys: string, shown: Words, onMac = isMac): string =>
  keys
    .split(' ')
    .map((key) => {
      if (onMac && key in macKeys) return macKeys[key as keyof typeof macKeys];
      return key in named ? shown[named[key as keyof typeof named]] : key;
    })
    .join(' ');

/** The same in the language of the page. */
export const keyNames = computed(words, (shown) => (keys: string) => namesOfKeys(keys, shown));

/** A key in a sentence, for `Keyed.svelte`. */
export const keyIn = (names: string): string => `${edge}${names}${edge}`;

/** A sentence as what stands beside its keys, at even places, and the keys. */
export const piecesOf = (sentence: string): string[] => sentence.split(edge);

const edge = '\u0001';
const named = {
  Ctrl: 'key:Ctrl',
  Enter: 'key:Enter',
  Shift: 'key:Shift',
  Space: 'key:Space',
} as const;
/** As they are printed on the keys, in every language. */
const macKeys = { Ctrl: '⌘', Enter: '↩', Shift: '⇧' } as const;
