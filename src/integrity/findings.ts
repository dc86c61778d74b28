import { check } from '../words/checks.ts';
import type { FindingSaid } from '../words/findings.ts';
import { dataFailure } from '../words/data-failures.ts';
import type { Language, Sentence } from '../words/params.ts';
import { sayWhole, shownTo } from '../words/say.ts';

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
  /** What is wrong. */
  said: FindingSaid;
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
      const { kind, position, stream, version, path, said } = finding;
      const identity = [kind, position, stream, version, path, JSON.stringify(said)].join('\n');
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

/** A finding whole: what is concerned, where it is, and what is wrong with it. */
export const findingSaid = ({
  kind,
  position,
  stream,
  version,
  path,
  said,
}: Omit<Finding, 'severity'>): Sentence =>
  check('damaged-place', { kind, position, stream, version, path, finding: said });

/** A finding as programs get it: what is wrong in a language, and its code with what varies. */
export const findingAnswer = <F extends Omit<Finding, 'severity'>>(
  { said, ...where }: F,
  language: Language,
) => ({
  ...where,
  what: sayWhole(said, language),
  ...shownTo('administrators', said),
});

/** Why data in a folder could not be opened. */
export const whyUnopenable = (
  { sentence, message }: Error & { readonly sentence: Sentence | undefined },
  folder: string,
): Sentence => sentence ?? dataFailure('log-unopenable-now', { folder, cause: message });
