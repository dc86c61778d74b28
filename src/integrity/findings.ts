/** Something that is not as it was recorded, or that a person should know. Quotes nothing that people said. */
export type Finding = {
  /** `damage`: lost or altered. `note`: worth knowing, nothing is wrong with the service's data. */
  severity: 'damage' | 'note';
  kind:
    | 'record'
    | 'index'
    | 'table'
    | 'fact'
    | 'state'
    | 'key'
    | 'user'
    | 'recording'
    | 'audio'
    | 'document'
    /** Something that was deleted, or a copy that an interrupted command left. */
    | 'left';
  position?: number;
  stream?: string;
  version?: number;
  /** Below the data directory. */
  path?: string;
  /** What is wrong, a sentence. */
  what: string;
};

/** Findings listed; of more only how many there were. */
export const findingsMax = 500;

/** Collects findings, each once, within a bound. */
export type Findings = {
  add(finding: Finding): void;
  readonly list: readonly Finding[];
  /** How many were not listed. */
  readonly more: number;
  readonly damages: number;
};

export function openFindings(): Findings {
  const list: Finding[] = [];
  const seen = new Set<string>();
  let more = 0;
  let damages = 0;
  return {
    add(finding) {
      const { kind, position, stream, version, path, what } = finding;
      const identity = [kind, position, stream, version, path, what].join('\n');
      if (seen.has(identity)) return;
      if (finding.severity === 'damage') damages += 1;
      if (list.length >= findingsMax) {
        more += 1;
        return;
      }
      seen.add(identity);
      list.push(finding);
    },
    list,
    get more() {
      return more;
    },
    get damages() {
      return damages;
    },
  };
}

/** Where a finding is, for a line of text. */
export function findingPlace({
  position,
  stream,
  version,
  path,
}: Omit<Finding, 'severity'>): string {
  return [
    position === undefined ? '' : `position ${position}`,
    stream === undefined ? '' : version === undefined ? stream : `${stream} version ${version}`,
    path ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
