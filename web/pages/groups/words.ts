import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../../components/words.ts';

const english = {
  intro:
    'Everybody can share with a group. Who joins sees what was shared with it before; who leaves no longer does.',
  newGroup: 'New group',
  created: params('Group {name} created'),
  notCreated: 'The group could not be created.',
  none: 'No groups yet.',
  people: count({ one: '{count} person', many: '{count} people' }),
  noMembers: 'nobody yet',
  claim: 'Group at the provider (optional)',
  claimAt: params('Group at {provider} (optional)'),
  claimHint: 'With a name here, members follow the provider at each login.',
  follows: params('follows {claim}'),
  saved: params('Group {name} saved'),
  notSaved: 'The group could not be saved.',
  members: 'Members',
  removeMember: params('Remove {name}'),
  memberRemoved: params('{name} removed'),
  memberAdded: params('{name} added'),
  addPerson: 'Add a person',
  choose: 'Choose…',
  add: 'Add',
  everybodyIn: 'Everybody is in this group.',
  deleteGroup: 'Delete group…',
  deleteTitle: params('Delete the group {name}?'),
  deleteMeans:
    'Its members can no longer see what was shared with the group. Their accounts and notes stay.',
  deleteNow: 'Delete group',
};

export type English = typeof english;
export const words = wordsFor('groups', english);
