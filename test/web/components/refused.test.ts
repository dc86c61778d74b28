import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atom } from 'nanostores';
import { toasts } from '../../../web/app/toasts.ts';
import Orphans from '../../../web/pages/recording/Orphans.svelte';
import { eventually } from '../../support/eventually.ts';

test('a text that the browser does not let be copied is said not to be copied', async (t) => {
  const before = Object.getOwnPropertyDescriptor(navigator, 'clipboard');
  const writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  Object.defineProperty(document, 'execCommand', { value: () => false, configurable: true });
  t.after(() => Object.defineProperty(navigator, 'clipboard', before ?? { value: undefined }));
  const draft = { block: 'b', text: 'Unsaved', at: 0, span: [0, 1] };
  const drafts = { all: atom(new Map([['b', draft]])), drop() {} };
  const shown = show(t, Orphans, { drafts, turns: [], language: null } as never);
  const said = () => toasts.get().map(({ text }) => text);
  shown.querySelector('button')!.click();
  await eventually('it is said', () => said().length > 0, 4000);
  assert.match(said().join(' '), /doesn’t allow copying here/);
});
