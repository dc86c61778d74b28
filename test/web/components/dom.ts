/** A document for components in Node (happy-dom). Import this before them: they look for it when they are loaded. */
import { Window } from 'happy-dom';
import type { TestContext } from 'node:test';
import { type Component, flushSync, mount, unmount } from 'svelte';

const window = new Window({ url: 'http://localhost:8765/' });
const own = new Set(Object.getOwnPropertyNames(globalThis));
for (const name of Object.getOwnPropertyNames(window)) {
  // What Node has itself (timers, fetch, URL) stays Node's.
  if (own.has(name) || name.startsWith('_')) continue;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => window[name as keyof typeof window],
    set(value) {
      Object.defineProperty(globalThis, name, { value, writable: true });
    },
  });
}
for (const [name, value] of Object.entries({
  window,
  document: window.document,
  navigator: window.navigator,
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// As in a page, what is asked for is an address of it.
const { Request: ofNode } = globalThis;
globalThis.Request = class extends ofNode {
  constructor(asked: string | URL | Request, init?: RequestInit) {
    super(typeof asked === 'string' ? new URL(asked, window.location.href) : asked, init);
  }
};

/** Shows a component; it is gone when the test is over. @returns where it is */
export function show<Props extends Record<string, unknown>>(
  t: TestContext,
  component: Component<Props>,
  props: Props,
): HTMLElement {
  const target = document.createElement('div');
  document.body.append(target);
  const shown = mount(component, { target, props });
  flushSync();
  t.after(async () => {
    await unmount(shown);
    target.remove();
  });
  return target;
}
