import { says } from './sentences.ts';

/** What Health finds about the people who use Mitschrift. */
export const checksOfPeople = {
  'two-step-optional': says('Two-step login is not required.'),
  'two-step-ok': says('All administrators use two-step login.'),
  'two-step-missing': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} administrator has not set up the required two-step login: {names}.',
        other: '{count} administrators have not set up the required two-step login: {names}.',
      },
      todo: 'They are asked for it after the password. Until then, the password alone protects the account.',
    },
  ),
  'groups-ok': says(
    { count: 'integer' },
    {
      detail: {
        one: '{count} group, with members.',
        other: '{count} groups, each with members.',
      },
    },
  ),
  'groups-claim-unseen': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} group follows a group at the sign-on provider that nobody had at a login: {names}.',
        other:
          '{count} groups follow groups at the sign-on provider that nobody had at a login: {names}.',
      },
      todo: 'Compare the names under Settings › Groups with what a trial login shows (Settings › Login).',
    },
  ),
  'groups-empty': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} group has no members: {names}. What is shared with it is shown to nobody.',
        other:
          '{count} groups have no members: {names}. What is shared with them is shown to nobody.',
      },
      todo: 'Add members under Settings › Groups, or delete the group.',
    },
  ),
  'retention-ok': says('Nothing waits for an answer before it is deleted.'),
  'retention-waits': says(
    { count: 'integer' },
    {
      detail: {
        one: 'The notes of {count} user are kept longer than planned: deleting so many needs a yes.',
        other:
          'The notes of {count} users are kept longer than planned: deleting so many needs a yes.',
      },
      todo: 'Ask them to answer on their home page. For guest and deleted users, an administrator answers: POST /retention/confirm?owner=….',
    },
  ),
};
