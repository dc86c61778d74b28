import { count, params } from '@nanostores/i18n';
import { i18n } from '../../words/i18n.ts';

const english = {
  title: 'Search',
  titleOf: params('{question} · Search'),
  search: 'Search all notes',
  searchHint: 'Search your notes',
  suggestions: 'Suggestions',
  searchFor: params('Search for “{question}”'),
  untitled: params('Recording, {time}'),
  whatIsSearched: 'Titles, names, spoken words, summaries and side notes are searched.',
  inNotes: count({ one: '{count} note', many: '{count} notes' }),
  passages: count({ one: '{count} passage', many: '{count} passages' }),
  passagesIn: params('{passages} in {notes}'),
  morePassages: count({ one: '{count} more passage', many: '{count} more passages' }),
  orderIs: params('Order: {order}'),
  bestFirst: 'Best first',
  newestFirst: 'Newest first',
  moreNotes: 'Show more notes',
  notFoundTitle: params('No results for “{question}”.'),
  notFoundAll: 'All your notes were searched. Perhaps different words were used.',
  notFoundFiltered: 'Only the notes that match the filters were searched.',
  liftFilters: 'Search all notes',
  searchPartly: params('{percent}% of your notes have been searched so far.'),
  searchFills: 'Results may be missing. This list is completed automatically.',
  searchFailed: 'The search failed.',
  searchAway: 'The server isn’t responding. Your notes are safe.',
  retry: 'Try again',
  playFrom: params('Play from {time}'),
  pauseAt: params('Pause at {time}'),
  written: 'Title, summary or side note',
  today: 'Today',
  yesterday: 'Yesterday',
  dayAndTime: params('{day}, {time}'),
  player: 'Player',
  play: 'Play',
  pause: 'Pause',
  closePlayer: 'Close',
  notPlayable: 'The audio can’t be played.',
};

export type English = typeof english;
export const words = i18n('search', english);
