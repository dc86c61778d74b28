/**
 * Base for OpenAI's routes: `stt.base_url` with or without `/v1`, or with the whole route.
 * `http://host:8000` → `http://host:8000/v1`.
 */
export function compatBase(baseUrl: string): string {
  const path = trimmed(baseUrl, /\/audio\/transcriptions$/);
  return /\/v\d+(beta)?$/.test(path) ? path : `${path}/v1`;
}

/** Base of a whisper.cpp server, which has no `/v1`: `/inference` and `/health` lie right below. */
export function nativeBase(baseUrl: string): string {
  return trimmed(baseUrl, /\/inference$/).replace(/\/v1$/, '');
}

/** For sentences: no credentials, no query. */
export function serverName(baseUrl: string): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

function trimmed(baseUrl: string, route: RegExp): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(route, '')}`;
}
