import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { ifMissing } from './files.ts';

/** What a text says as JSON; undefined where it is none. An error would quote the text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A file of JSON as a schema takes it; undefined where it is not there, or not as it was written.
 * @throws the system's other errors
 */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(ifMissing(''));
  return schema.safeParse(parsedJson(text)).data;
}

/** Whether a part of an answer in JSON is an object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
