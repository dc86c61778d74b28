import {
  type Grant,
  type Grantee,
  grantsMax,
  withGrant,
  withoutGrant,
} from '../../events/facts/access.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { type Refusal, refuse } from '../../events/command-handler.ts';
import { problemOf } from '../../src/words/problems.ts';
import type { Recording } from './recording.ts';

export type AccessRefusal = Refusal<'TOO_MANY_GRANTS'>;
export const tooManyGrants = refuse(
  'TOO_MANY_GRANTS',
  problemOf('too-many-names', { count: grantsMax, what: 'grants' }),
);

/** With whom it is shared; another owner begins with nobody. Pure. */
export function accessOf({ facts }: Pick<Recording, 'facts'>): readonly Grant[] {
  let grants: readonly Grant[] = [];
  for (const fact of facts) {
    if (fact.type === 'access.granted') grants = withGrant(grants, fact.data);
    else if (fact.type === 'access.withdrawn') grants = withoutGrant(grants, fact.data.to);
    else if (fact.type === 'recording.handed_over') grants = [];
  }
  return grants;
}

/** Shares it, or changes what somebody may do with it. Pure. */
export const grantAccess =
  (grant: Grant) =>
  (recording: Pick<Recording, 'facts'>): readonly RecordingFact[] | AccessRefusal => {
    const grants = accessOf(recording);
    if (isGiven(grants, grant)) return [];
    if (withGrant(grants, grant).length > grantsMax) return tooManyGrants;
    return [{ type: 'access.granted', data: grant }];
  };

/** Shares it with somebody no more. Pure. */
export const withdrawAccess =
  (to: Grantee) =>
  (recording: Pick<Recording, 'facts'>): readonly RecordingFact[] =>
    accessOf(recording).some((one) => one.to === to)
      ? [{ type: 'access.withdrawn', data: { to } }]
      : [];

/** Whether exactly that is given already. */
export const isGiven = (grants: readonly Grant[], { to, role, audio }: Grant): boolean =>
  grants.some((one) => one.to === to && one.role === role && one.audio === audio);
