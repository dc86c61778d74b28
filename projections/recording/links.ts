import {
  type LinkTerms,
  linksMax,
  termsOf,
  withLink,
  withoutLink,
} from '../../events/facts/links.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { problemOf } from '../../src/words/problems.ts';
import { refuse } from '../../events/command-handler.ts';
import type { AccessRefusal } from './access.ts';
import type { Recording } from './recording.ts';

const tooMany = refuse(
  'TOO_MANY_GRANTS',
  problemOf('too-many-names', { count: linksMax, what: 'links' }),
);

/** Links that its owner made and did not delete; another owner begins without. Pure. */
export function linksOf({ facts }: Pick<Recording, 'facts'>): readonly LinkTerms[] {
  let links: readonly LinkTerms[] = [];
  for (const fact of facts) {
    if (fact.type === 'link.created') links = withLink(links, termsOf(fact.data));
    else if (fact.type === 'link.revoked') links = withoutLink(links, fact.data.link);
    else if (fact.type === 'recording.handed_over') links = [];
  }
  return links;
}

/** Makes a link. Pure. */
export const createLink =
  (
    terms: LinkTerms,
    {
      name,
      passwordHash,
      token,
    }: { name: string; passwordHash: string | undefined; token: string | undefined },
  ) =>
  (recording: Pick<Recording, 'facts'>): readonly RecordingFact[] | AccessRefusal => {
    if (linksOf(recording).length >= linksMax) return tooMany;
    const { expiresAt, ...data } = terms;
    return [
      {
        type: 'link.created',
        data: { ...data, expires_at: expiresAt },
        content: {
          name,
          ...(passwordHash !== undefined && { password_hash: passwordHash }),
          ...(token !== undefined && { token }),
        },
      },
    ];
  };

/** Deletes a link. Pure. */
export const revokeLink =
  (link: string) =>
  (recording: Pick<Recording, 'facts'>): readonly RecordingFact[] =>
    linksOf(recording).some((one) => one.link === link)
      ? [{ type: 'link.revoked', data: { link } }]
      : [];
