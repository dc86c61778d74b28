import OpenAI from 'openai';
import type { Server } from './server.ts';

/**
 * A request that the openai package writes and `ask` sends. The package's retries and time limits are off (they would run
 * a job of half an hour three times), its environment variables are overridden, and what goes wrong on the way is thrown
 * as it was: the package hides causes of timeouts.
 */
export async function throughOpenAI<T>(
  { base, apiKey }: Server,
  ask: (url: string, init: RequestInit) => Promise<Response>,
  request: (client: OpenAI) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    try {
      return await ask(input instanceof Request ? input.url : String(input), init);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const client = new OpenAI({
    baseURL: base,
    apiKey: apiKey ?? 'none', // it refuses to work without one
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off', // its debug log holds transcripts
    timeout: 2 ** 31 - 1,
    // With `Response` it need not try out whether this fetch knows FormData.
    fetch: Object.assign(send, { Response }),
  });
  try {
    return await request(client);
  } catch (error) {
    throw failure ?? error;
  }
}
