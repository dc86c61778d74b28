import { params } from '@nanostores/i18n';
import { i18n } from '../words/i18n.ts';

const english = {
  passwordHint: 'At least 8 characters. Four words in a row are easy to keep and hard to guess.',
  tooShort: 'too short',
  weak: 'weak',
  fair: 'fair',
  good: 'good',
  strong: 'strong',
  tryAgain: 'Try again',
  away: 'The service does not answer.',
  awaySafe: 'Nothing was changed. Try again in a moment.',
  refused: params('The service refused: {title}'),
};

export type English = typeof english;
export const words = i18n('components', english);
