/** How many notes a folder or tag has, as it is written: counted up to a number, then "1,000+". */
import { computed } from 'nanostores';
import { format } from '../words/i18n.ts';
import type { Counted } from './order.ts';
import { words } from './words.ts';

export const countOf = computed([format, words], (write, { orMore }) => (counted: Counted) => {
  const count = write.number(counted.recordings);
  return counted.more ? orMore({ count }) : count;
});
