/** What is typed while setting up: kept over all steps, so that going back loses nothing. */
export type Drafts = {
  speech: {
    /** A model's id, `server`, or nothing yet. */
    choice: string;
    base_url: string;
    backend: 'compat' | 'native' | 'asr';
    api_key: string;
    model: string;
    /** Whether to fetch what tells speakers apart, too. */
    meetings: boolean;
  };
  summaries: { base_url: string; api_key: string; model: string };
  /** A name of `GET /audio/devices`; empty: the default one. */
  device: string;
  vault: string;
};

type Config = {
  stt: { base_url: string | null; backend: Drafts['speech']['backend']; model: string | null };
  llm: { base_url: string | null; model: string | null };
  audio: { device: string | null };
  notes: { vault: string | null };
};

/** What is set already; nothing of a new house. Secrets are never read back, so they are typed again or kept. */
export const draftsOf = (config: Config | null): Drafts => ({
  speech: {
    choice: config?.stt.base_url ? 'server' : '',
    base_url: config?.stt.base_url ?? '',
    backend: config?.stt.backend ?? 'compat',
    api_key: '',
    model: config?.stt.model ?? '',
    meetings: true,
  },
  summaries: {
    base_url: config?.llm.base_url ?? '',
    api_key: '',
    model: config?.llm.model ?? '',
  },
  device: config?.audio.device ?? '',
  vault: config?.notes.vault ?? '',
});
