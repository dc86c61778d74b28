import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atom } from 'nanostores';
import { flushSync } from 'svelte';
import { followSession } from '../../../web/client/feed.ts';
import { session } from '../../../web/client/session.ts';
import { filterIn } from '../../../web/pages/home/library/filter.ts';
import Answered from '../../../web/pages/search/Answered.svelte';
import { openAskerOfAll } from '../../../web/pages/search/ask.ts';
import { loginOf, sockets } from './sockets.ts';

const cite = (recording_id: string, quote: string) => ({
  recording_id,
  quote,
  block: 't-1',
  start: 1,
  speaker: null,
  title: 'A note',
  created_at: '2026-03-01T10:00:00Z',
});

test('an answer that is shown keeps no word of a note that is erased', async (t) => {
  const made = sockets(t);
  const answer = {
    lines: [
      { text: 'The choir sings on Friday.', cites: [cite('gone', 'On Friday.')] },
      { text: 'The hall is booked.', cites: [cite('kept', 'I booked it.')] },
    ],
    nearest: [cite('gone', 'We sing.')],
    searched: { recordings: 2, passages: 2, complete: true, when: null },
  };
  t.mock.method(globalThis, 'fetch', async () => Response.json(answer));
  followSession();
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  const feed = made.at(-1)!;
  feed.open();
  const asker = openAskerOfAll();
  const player = { played: atom(null), place: atom({ paused: true }), press() {} };
  const shown = show(t, Answered, { asker, player, onleave() {} } as never);
  await asker.ask({ question: 'When?', filter: filterIn({}) });
  flushSync();
  assert.match(shown.textContent, /On Friday/);
  const event = 'recording.erased';
  feed.say({ type: 'transition', recording_id: 'gone', event, position: 2 });
  flushSync();
  assert.doesNotMatch(shown.textContent, /Friday|We sing/);
  assert.match(shown.textContent, /The hall is booked/);
  asker.leave();
});
