/**
 * Keeps the app's frame for when the service is away: the page, its scripts, style, words and fonts. Never an
 * answer of the interface, a document or audio: they are private, and can be erased. What is kept follows the
 * newest page: a new one replaces all of it.
 */
const kept = 'mitschrift-frame';
/** A page that has not come by then is taken from here, in milliseconds. */
const patience = 8_000;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(
    // Without it nothing is lost: the next page that comes is kept.
    fetch('/').then((page) => (page.ok ? keepPage(page) : undefined)),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate') {
    if (isPage(url.pathname)) event.respondWith(page(event));
  } else if (isFile(url.pathname)) {
    event.respondWith(file(request));
  }
});

// What a phone's browser was notified of: the page that is open, or a new one.
self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(show(notification.data?.recordingId ?? ''));
});

async function show(id) {
  const windows = await self.clients.matchAll({ type: 'window' });
  const open = windows.find(({ url }) => isOfPerson(new URL(url).pathname));
  if (open === undefined)
    return await self.clients.openWindow(`/speakers?recording=${encodeURIComponent(id)}`);
  // It goes there by itself (`client/notify.ts`): loaded anew, it would no longer record.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a page of a worker has none
  open.postMessage({ pressed: id });
  return await open.focus();
}

/** A page of who is logged in. */
const isOfPerson = (path) => isPage(path) && !['/login', '/setup', '/s'].includes(path);

/** The app's pages, all of them the same file; other addresses (`/docs`) are the service's. */
const isPage = (path) =>
  /^\/(?:search|login|setup|settings|organise|account|speakers|debug|s|notes\/[^/]+)?$/.test(path);

/** Files of the app: their names change with what is in them, but for a few in the root. */
const isFile = (path) =>
  (path.startsWith('/assets/') && !path.startsWith('/assets/docs/')) ||
  /^\/[a-z0-9-]+\.(?:svg|png|webmanifest)$/.test(path) ||
  path === '/early.js';

async function page(event) {
  const cache = await caches.open(kept);
  try {
    const answer = await fetch(event.request, { signal: AbortSignal.timeout(patience) });
    // A proxy that finds nobody behind it says 502 to 504: the service is away.
    if (answer.status < 502 || answer.status > 504) {
      if (answer.ok) event.waitUntil(keepPage(answer.clone()));
      return answer;
    }
    return (await cache.match('/')) ?? answer;
  } catch (failure) {
    const known = await cache.match('/');
    if (known === undefined) throw failure;
    return known;
  }
}

async function file(request) {
  const cache = await caches.open(kept);
  const { pathname } = new URL(request.url);
  const isHashed = pathname.startsWith('/assets/');
  const known = await cache.match(pathname);
  if (known !== undefined && isHashed) return known;
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(pathname, answer.clone());
    return answer;
  } catch (failure) {
    if (known === undefined) throw failure;
    return known;
  }
}

/** Keeps a page and what it names; when it is another page than before, what that one named goes. */
async function keepPage(answer) {
  const text = await answer.text();
  const before = await caches.open(kept).then((cache) => cache.match('/'));
  if (before !== undefined && (await before.text()) === text) return;
  const named = [...text.matchAll(/(?:href|src)="(\/[^"#?]+)"/g)]
    .map(([, path]) => path)
    .filter(isFile);
  // All of it, before what there is goes: the service may go away in between.
  const files = await fetched(named);
  const styles = files.filter(([path]) => path.endsWith('.css'));
  const fonts = await Promise.all(
    styles.map(async ([path, file]) => fetched(fontsIn(path, await file.clone().text()))),
  );
  await caches.delete(kept);
  const cache = await caches.open(kept);
  for (const [path, file] of [...files, ...fonts.flat()]) await cache.put(path, file);
  await cache.put('/', new Response(text, { headers: answer.headers }));
}

const fontsIn = (path, style) =>
  [...style.matchAll(/url\(["']?([^"')]+\.woff2)["']?\)/g)].map(
    ([, font]) => new URL(font, new URL(path, location.origin)).pathname,
  );

/** Files with their answers; fails unless each is there. */
const fetched = (paths) =>
  Promise.all(
    [...new Set(paths)].map(async (path) => {
      const file = await fetch(path);
      if (!file.ok) throw new Error(`${path} answered ${file.status}`);
      return [path, file];
    }),
  );
