import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  passwordHint:
    'Mindestens 8 Zeichen. Vier Wörter hintereinander sind leicht zu behalten und schwer zu erraten.',
  tooShort: 'zu kurz',
  weak: 'schwach',
  fair: 'mäßig',
  good: 'gut',
  strong: 'stark',
  tryAgain: 'Erneut versuchen',
  away: 'Der Dienst antwortet nicht.',
  awaySafe: 'Es wurde nichts geändert. Gleich noch einmal versuchen.',
  refused: 'Der Dienst lehnt ab: {title}',
} satisfies Translation<English>;
