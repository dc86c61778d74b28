import { check } from '../words/checks.ts';
import { type Look, type LookedAt, asLimited, asOk } from './check.ts';
import { guideLink } from './guide.ts';

/** What is known of the people who use a service that runs. */
export type PeopleParts = {
  /** Names of administrators who have to log in with a code and have not set that up; null: nobody has to. */
  withoutTwoStep: () => readonly string[] | null;
  /** Names of groups, whether each has members, and the claim that nobody has had at a login; null: there is none such. */
  groups: () => readonly { name: string; isEmpty: boolean; unseenClaim: string | null }[];
  /** How many users have notes or audio that retention deletes only with their yes. */
  waitingForYes: (signal: AbortSignal) => Promise<number>;
};

/** Names that are told; of more only how many. */
const namesMax = 10;
/** The libraries of all users are looked through. */
const retentionMs = 60_000;
const atOnceMs = 10_000;

const users = guideLink('administration', 'Users');

/** What people have to do themselves: second factors, members of groups, an answer to retention. */
export const peopleLooks = ({ withoutTwoStep, groups, waitingForYes }: PeopleParts): Look[] => [
  {
    id: 'two-step',
    link: users,
    limitMs: atOnceMs,
    look: async () => twoStep(withoutTwoStep()),
  },
  {
    id: 'groups',
    link: users,
    limitMs: atOnceMs,
    look: async () => {
      const all = groups();
      const unseen = all.flatMap(({ name, unseenClaim: claim }) =>
        claim === null ? [] : [`${name} (${claim})`],
      );
      if (unseen.length > 0) return asLimited(check('groups-claim-unseen', named(unseen)));
      const empty = all.filter(({ isEmpty }) => isEmpty);
      if (empty.length === 0) return asOk(check('groups-ok', { count: all.length }));
      return asLimited(check('groups-empty', named(empty.map(({ name }) => name))));
    },
  },
  {
    id: 'retention',
    link: users,
    limitMs: retentionMs,
    look: async (signal) => {
      const count = await waitingForYes(signal);
      return count === 0
        ? asOk(check('retention-ok'))
        : asLimited(check('retention-waits', { count }));
    },
  },
];

function twoStep(without: readonly string[] | null): LookedAt {
  if (without === null) return asOk(check('two-step-optional'));
  return without.length === 0
    ? asOk(check('two-step-ok'))
    : asLimited(check('two-step-missing', named(without)));
}

const named = (names: readonly string[]) => ({
  count: names.length,
  names: names.slice(0, namesMax),
});
