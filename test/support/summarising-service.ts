import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startService, withAda } from './http-client.ts';
import { startLanguageServer } from './language-servers.ts';
import { type Prompt, wellBehaved } from './language-servers-brains.ts';

export type Line = {
  id: string;
  kind: string;
  text: string;
  section: string | null;
  of_template: boolean;
  done: boolean;
};
export type Recording = {
  title: string;
  summary: { lines: Line[]; abstract: string };
  documents: { summary: string };
  notes: { code: string; text: string }[];
  error: { stage: string } | null;
};

/** What is said: “Hello there. This is the secret plan.” */
export const minutes = {
  name: 'Minutes',
  sections: [
    { title: 'Greetings', about: 'who greets whom', kind: 'point' },
    { title: 'Plans', about: 'what is planned', kind: 'decision' },
    { title: 'Money', about: 'what it costs', kind: 'point' },
  ],
};

const line = (about: object) => ({ kind: 'point', person: null, due: null, ...about });
/** In another order than the sections, with a section that there is not, and a line that nobody said. */
const answered = [
  line({ turn: 1, text: 'The secret plan is adopted', section: 2 }),
  line({ turn: 1, text: 'Somebody greets before the secret plan', section: 1 }),
  line({ turn: 1, text: 'A secret plan without a place', section: 9 }),
  line({ turn: 1, text: 'Zebras cost nine hundred crowns', section: 3 }),
];

export async function textOf(
  { url }: Awaited<ReturnType<typeof startService>>,
  token: string,
  path: string,
): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  return await (await fetch(`${url}/transcripts/${encodeURIComponent(path)}`, { headers })).text();
}

export async function summaries(service: Awaited<ReturnType<typeof startService>>, id: string) {
  const all: { template?: { id: string; revision: number; of: string } | undefined }[] = [];
  for await (const { type, data } of service.store.read(`recording-${id}`))
    if (type === 'summary.completed') all.push(data);
  return all;
}

/** A service whose language model answers with the same lines, whatever is asked. */
export async function world(t: TestContext) {
  const asked: Prompt[] = [];
  const brain = (prompt: Prompt): string => {
    if (!/summarise/u.test(prompt.system)) return wellBehaved(prompt);
    asked.push(prompt);
    return JSON.stringify({ lines: answered });
  };
  const language = await startLanguageServer({ flavour: 'openai', brain });
  t.after(() => language.close());
  const own = { punctuate: undefined, summarise: undefined, entitle: undefined, write: undefined };
  const { service, token } = await withAda(t, { stages: own });
  const json = { llm: { base_url: language.url } };
  assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  const id = await service.settled(token);
  const post = async <T>(path: string, posted: object) =>
    (await service.call<T>('POST', path, { token, json: posted })).body;
  return {
    language,
    service,
    token,
    id,
    prompts: () => asked,
    post,
    template: (json: object) => post<{ id: string }>('/templates', json),
    read: async () => (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body,
    async again(wanted: object, of = id) {
      const path = `/recordings/${of}/reprocess`;
      const json = { from: 'summary', ...wanted };
      assert.equal((await service.call('POST', path, { token, json })).status, 202);
      await service.reaches(of, 'idle.saved');
    },
  };
}
