import type { Words } from './sentences.ts';
import type { suggestionReasons } from './suggestion-reasons.ts';

export const suggestionReasonsInGerman = {
  'named-before': 'in dieser Aufnahme bereits so benannt',
  'named-live': 'während der Aufnahme so benannt',
  'only-one-left': 'als Einzige von den angegebenen Personen übrig',
  said: '„{quote}“',
  voice: 'die Stimme ähnelt der in früheren Aufnahmen',
} satisfies Words<typeof suggestionReasons>;
