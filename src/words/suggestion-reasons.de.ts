import type { Words } from './sentences.ts';
import type { suggestionReasons } from './suggestion-reasons.ts';

export const suggestionReasonsInGerman = {
  'named-before': { detail: 'in dieser Aufnahme bereits so benannt' },
  'named-live': { detail: 'während der Aufnahme so benannt' },
  'only-one-left': { detail: 'als Einzige von den angegebenen Personen übrig' },
  said: { detail: '„{quote}“' },
  voice: { detail: 'die Stimme ähnelt der in früheren Aufnahmen' },
} satisfies Words<typeof suggestionReasons>;
