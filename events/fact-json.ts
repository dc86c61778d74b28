import type { LoggedFact } from './catalogue.ts';
import type { Circumstances } from './envelope.ts';

/** A fact that only lacks what its place in the log decides. */
export type SealedFact = {
  type: string;
  circumstances: Circumstances;
  /** Version of its type's schema. */
  schema: number;
  dataJson: string;
  /** The content to hand back, and as it is stored; undefined when there is none. */
  contentJson: string | undefined;
  sealed: string | undefined;
};

/** A fact with its place in the log. Nothing in a place needs escaping in JSON. */
export type PlacedFact = {
  fact: SealedFact;
  id: string;
  position: number;
  stream: string;
  version: number;
  /** RFC 3339 UTC. */
  at: string;
};

/** A fact as its record holds it: its members in the order in which every record has them. */
export function recordJson({ fact, id, position, stream, version, at }: PlacedFact): string {
  const { type, schema, circumstances: c, dataJson, sealed } = fact;
  const schemaMember = schema === 1 ? '' : `,"schema":${schema}`;
  // Absent members are left out by JSON; `by` and `command` are always there.
  const circumstances = JSON.stringify({
    by: c.by,
    command: c.command,
    run: c.run,
    attempt: c.attempt,
    from: c.from,
    to: c.to,
    machine: c.machine,
    subject: c.subject,
  }).slice(1, -1);
  const content = sealed === undefined ? '' : `,"content":"${sealed}"`;
  return `{"id":"${id}","position":${position},"stream":"${stream}","version":${version},"type":"${type}"${schemaMember},"at":"${at}",${circumstances},"data":${dataJson}${content}}`;
}

/** What a reader will get: parsed from what is written, so that the two cannot differ. */
export function asStored({ fact, id, position, stream, version, at }: PlacedFact): LoggedFact {
  const { type, circumstances: c, dataJson, contentJson } = fact;
  const stored: Record<string, unknown> = { id, position, stream, version, type, at };
  stored['by'] = c.by;
  stored['command'] = c.command;
  if (c.run !== undefined) stored['run'] = c.run;
  if (c.attempt !== undefined) stored['attempt'] = c.attempt;
  if (c.from !== undefined) stored['from'] = c.from;
  if (c.to !== undefined) stored['to'] = c.to;
  if (c.machine !== undefined) stored['machine'] = c.machine;
  if (c.subject !== undefined) stored['subject'] = c.subject;
  stored['data'] = JSON.parse(dataJson);
  if (contentJson !== undefined) stored['content'] = JSON.parse(contentJson);
  return stored as LoggedFact;
}
