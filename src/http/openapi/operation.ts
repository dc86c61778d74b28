import type { z } from 'zod';
import type { ProblemType } from '../problems.ts';

/** One operation of the interface, as the document tells it. Who may call it comes from `access.ts`. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';
  /** With `{names}`, which `path-parameters.ts` explains. */
  path: string;
  /** `operationId`: what generated clients call it. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** The schema that validates the query string. */
  query?: z.ZodObject;
  headers?: readonly RequestHeader[];
  body?: RequestBody;
  /** By status. */
  answers: Readonly<Record<number, Answer>>;
  /** Besides those that follow from who may call, from query and body, and from `command`. */
  problems?: readonly ProblemType[];
  /** Whether it appends facts: what can go wrong with that is added. */
  command?: true;
};

export const tags = {
  Service: 'Reaching it, setting it up, logging in.',
  Status: 'What is going on now, and what has happened.',
  Recordings: 'Recordings from their first second on: how they came to be, commands, words, audio.',
  Transcripts: 'The documents in the user’s space.',
  Speakers: 'Who spoke in a meeting.',
  Users: 'Who may log in.',
  Configuration: 'Settings, and the servers they name.',
  Host: 'Devices, sound and programs of the machine the service runs on.',
  Watching: 'For those who look after the service.',
} as const;
export type Tag = keyof typeof tags;

export type RequestHeader = { name: string; description: string; required?: true };

export type RequestBody =
  /** The schema that validates it; `optional`: no body is `{}`. */
  | { kind: 'json'; schema: z.ZodType; optional?: true }
  /** A form with a file in the field `file`, and the schema that validates the other fields. */
  | { kind: 'form'; fields: z.ZodObject }
  | { kind: 'other'; mediaType: string; description: string; bytesMax?: number };

export type Answer = {
  description: string;
  /** Of a JSON body. */
  json?: z.ZodType;
  /** Media types of any other body. */
  media?: readonly string[];
  headers?: Readonly<Record<string, string>>;
};
