/** Reads what `pactl list` prints under `LC_ALL=C`. Pure. */

export type PulseSource = {
  index: number;
  name: string;
  description: string;
  /** Name of the sink this source is the monitor of; null for a microphone. */
  monitorOf: string | null;
};

export type PulseSink = { name: string; description: string; ownerModule: number | null };

/** A program that records from a source. */
export type PulseSourceOutput = { index: number; source: number; processId: number | null };

export type PulseModule = { index: number; name: string; args: string };

/**
 * The sources of `pactl list sources`. The long listing and not the JSON one: `pactl` 16.1 writes
 * `(null)` into JSON for every description that is not plain ASCII.
 */
export function parseSources(listing: string): PulseSource[] {
  return blocks(listing, 'Source').flatMap(({ index, fields }) => {
    const name = fields.get('Name');
    if (name === undefined) return [];
    const monitorOf = fields.get('Monitor of Sink') ?? 'n/a';
    return [
      {
        index,
        name,
        description: fields.get('Description') ?? name,
        monitorOf: monitorOf === 'n/a' ? null : monitorOf,
      },
    ];
  });
}

export function parseSinks(listing: string): PulseSink[] {
  return blocks(listing, 'Sink').flatMap(({ fields }) => {
    const name = fields.get('Name');
    if (name === undefined) return [];
    const description = fields.get('Description') ?? name;
    return [{ name, description, ownerModule: integer(fields.get('Owner Module')) }];
  });
}

export function parseSourceOutputs(listing: string): PulseSourceOutput[] {
  return blocks(listing, 'Source Output').flatMap(({ index, fields, text }) => {
    const source = integer(fields.get('Source'));
    const process = /^\t\tapplication\.process\.id = "(\d+)"$/m.exec(text);
    return source === null ? [] : [{ index, source, processId: integer(process?.[1]) }];
  });
}

/**
 * The modules of `pactl list short modules`: index, name and arguments between tabs. Arguments of
 * PipeWire's own modules span lines; those lines are left out.
 */
export function parseModules(listing: string): PulseModule[] {
  return [...listing.matchAll(/^(\d+)\t(module-[^\t\n]*)\t([^\t\n]*)/gm)].map((match) => ({
    index: Number(match[1]),
    name: match[2]!,
    args: match[3]!,
  }));
}

type Block = { index: number; fields: Map<string, string>; text: string };

/** Fields of an entry stand behind exactly one tab; the first of a name counts. */
function blocks(listing: string, kind: string): Block[] {
  const heads = [...listing.matchAll(new RegExp(`^${kind} #(\\d+)$`, 'gm'))];
  return heads.map((head, at) => {
    const text = listing.slice(head.index, heads[at + 1]?.index);
    const fields = new Map<string, string>();
    for (const field of text.matchAll(/^\t([^\t:][^:\n]*): ?(.*)$/gm)) {
      if (!fields.has(field[1]!)) fields.set(field[1]!, field[2]!);
    }
    return { index: Number(head[1]), fields, text };
  });
}

const integer = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
