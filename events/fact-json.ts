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

type FactEnvelope = Record<string, unknown>;

/** The envelope in the order in which every record has it. Absent members are left out by JSON. */
export function envelopeOf(
  { type, schema, circumstances: c }: SealedFact,
  place: { id: string; position: number; stream: string; version: number; at: string },
): FactEnvelope {
  return {
    id: place.id,
    position: place.position,
    stream: place.stream,
    version: place.version,
    type,
    schema: schema === 1 ? undefined : schema,
    at: c.at ?? place.at,
    by: c.by,
    command: c.command,
    run: c.run,
    attempt: c.attempt,
    from: c.from,
    to: c.to,
    machine: c.machine,
    subject: c.subject,
  };
}

/** A fact as its record holds it. */
export function recordJson(envelope: FactEnvelope, { dataJson, sealed }: SealedFact): string {
  const content = sealed === undefined ? '' : `,"content":"${sealed}"`;
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${dataJson}${content}}`;
}

/** What a reader will get: parsed from what was written, so that the two cannot differ. */
export function asStored(
  envelope: FactEnvelope,
  { dataJson, contentJson }: SealedFact,
): LoggedFact {
  const fact: FactEnvelope = {};
  for (const name in envelope) {
    if (envelope[name] !== undefined && name !== 'schema') fact[name] = envelope[name];
  }
  fact['data'] = JSON.parse(dataJson);
  if (contentJson !== undefined) fact['content'] = JSON.parse(contentJson);
  return fact as LoggedFact;
}
