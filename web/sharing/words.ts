import { count, params } from '@nanostores/i18n';
import { i18n } from '../words/i18n.ts';

const english = {
  noteOf: params('{name}’s note'),
  gone: 'Removed account',
  youMayRead: 'You may read it, without audio.',
  youMayHear: 'You may read it, with audio.',
  youMayEdit: 'You may edit it, without audio.',
  youMayEditAndHear: 'You may edit it, with audio.',
  sidenotesOf: params('Side notes by {name}'),
  showAt: params('Show the passage at {time}'),
  find: 'Find',
  showPassage: 'Show passage',
  share: 'Share…',
  close: 'Close',
  shareNote: 'Share note',
  shareFolder: params('Share folder “{name}”'),
  folderMeans: 'All notes in this folder, and every note that is moved into it later.',
  peopleAndGroups: 'People and groups',
  who: 'Name of a person or group',
  whatTheyMay: 'What this person may do',
  whatMay: params('What {name} may do'),
  mayRead: 'may read',
  mayEdit: 'may edit',
  withAudio: 'with audio',
  withAudioFor: params('{name}: with audio'),
  giveAccess: 'Share',
  nobodyTold:
    'Nobody is told: Mitschrift sends no messages. What you share appears under “Shared with me”.',
  group: 'group',
  byFolder: 'from the folder',
  shareNamed: params('Share… {name}'),
  removeAccess: params('Remove access: {name}'),
  onlyYou: 'Only you can open this note.',
  onlyYouFolder: 'Only you can open the notes in this folder.',
  nowMayRead: params('{name} may read'),
  nowMayEdit: params('{name} may edit'),
  removed: params('{name} no longer has access'),
  notShared: 'Nothing was shared.',
  notChanged: 'The access could not be changed.',
  sharedWith: count({ one: 'shared with {count}', many: 'shared with {count}' }),
  copies: 'Whoever has access can keep a copy of the text. Deleting the note doesn’t reach copies.',
};

export type English = typeof english;
export const words = i18n('sharing', english);
