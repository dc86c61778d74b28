import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  away: 'Der Dienst antwortet nicht.',
  awaySafe: 'Es wurde nichts geändert. Gleich noch einmal versuchen.',
  refused: 'Der Dienst lehnt ab: {title}',
} satisfies Translation<English>;
