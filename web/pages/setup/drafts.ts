/** What is typed while setting up: kept over all steps, so that going back loses nothing. */
export type Drafts = {
  speech: {
    /** A model's id, `server`, or nothing yet. */
    choice: string;
    base_url: string;
    backend: 'compat' | 'native' | 'asr';
    api_key: string;
    /** The address that is set already. */
    known: string;
    model: string;
    /** Whether to fetch what tells speakers apart, too. */
    meetings: boolean;
  };
  summaries: { base_url: string; api_key: string; known: string; model: string };
  /** A name of `GET /audio/devices`; empty: the default one. */
  device: string;
  vault: string;
};

type Config = {
  stt: { base_url: string | null; backend: Drafts['speech']['backend']; model: string | null };
  llm: { base_url: string | null; model: string | null };
  audio: { device: string | null };
};

/** What is set already; nothing of a new house. Secrets are never read back, so they are typed again or kept. */
export const draftsOf = (config: Config | null, vault: string | null): Drafts => ({
  speech: {
    choice: config?.stt.base_url ? 'server' : '',
    base_url: config?.stt.base_url ?? '',
    known: config?.stt.base_url ?? '',
    backend: config?.stt.backend ?? 'compat',
    api_key: '',
    model: config?.stt.model ?? '',
    meetings: true,
  },
  summaries: {
    base_url: config?.llm.base_url ?? '',
    known: config?.llm.base_url ?? '',
    api_key: '',
    model: config?.llm.model ?? '',
  },
  device: config?.audio.device ?? '',
  vault: vault ?? '',
});

/** The key as it is sent: what was typed, else the one that is kept; a stored one is of no other server. */
export function keyToSend({ api_key, base_url, known }: Drafts['summaries']): {
  api_key?: string | null;
} {
  if (api_key !== '') return { api_key };
  const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : '');
  return originOf(base_url.trim()) === originOf(known) ? {} : { api_key: null };
}
