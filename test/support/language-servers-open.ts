import type { TestContext } from 'node:test';
import {
  type LanguageModelOptions,
  type OpenLanguageModel,
  openLanguageModel,
} from '../../src/language/openai-model.ts';
import {
  type LanguageServer,
  type LanguageServerOptions,
  startLanguageServer,
} from './language-servers.ts';

/** A stand-in server and our client on it; both are closed when the test ends. */
export async function openOn(
  t: TestContext,
  server: LanguageServerOptions,
  client: Partial<LanguageModelOptions> = {},
): Promise<{ server: LanguageServer; model: OpenLanguageModel }> {
  const started = await startLanguageServer(server);
  const model = openLanguageModel({
    baseUrl: started.url,
    model: null,
    apiKey: null,
    contextTokens: null,
    timeoutSeconds: 10,
    ...client,
  });
  t.after(async () => {
    await model.close();
    await started.close();
  });
  return { server: started, model };
}
