export type Address = {
  /**
   * Where OpenAI-compatible routes live, e.g. `http://host:11434/v1`, without a slash at the end.
   */
  api: string;
  /** The server itself, e.g. `http://host:11434`: for the routes of its own. */
  root: string;
  /** Scheme, host and port, for messages. */
  origin: string;
};

/**
 * What a person entered, with or without `/v1`. A path that names a version already
 * (`/openai/v1`, `/v1beta/openai`) is taken as it is.
 */
export function serverAddress(baseUrl: string): Address {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/u, '');
  const versioned = /\/v\d\w*(?=\/|$)/u.test(path);
  const root = url.origin + path.replace(/\/v\d\w*$/u, '');
  return {
    api: versioned ? url.origin + path : `${url.origin}${path}/v1`,
    root,
    origin: url.origin,
  };
}
