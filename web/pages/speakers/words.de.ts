import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Sprecher',
} satisfies Translation<English>;
