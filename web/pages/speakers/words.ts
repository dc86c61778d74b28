import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Speakers',
};

export type English = typeof english;
export const words = i18n('speakers', english);
