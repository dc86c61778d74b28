import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../components/words.ts';

const english = {
  // Folders.
  folder: 'Folder',
  folders: 'Folders',
  allFolders: 'All folders',
  noFolder: 'No folder',
  folderGone: 'Deleted folder',
  findFolder: 'Find a folder',
  noSuchFolder: params('No folder “{name}”.'),
  createNamedFolder: params('Create folder “{name}”'),
  newFolder: 'New folder…',
  newFolderTitle: 'New folder',
  createFolder: 'Create folder',
  manageFolders: 'Manage folders',
  folderNotMade: 'The folder could not be created.',

  // Tags.
  tag: 'Tag',
  tags: 'Tags',
  noTags: 'No tags yet.',
  notesWithAll: 'Notes with all of these tags',
  clear: 'Clear',
  newTag: 'New tag…',
  newTagTitle: 'New tag',
  createTag: 'Create tag',
  manageTags: 'Manage tags',
  tagNotMade: 'The tag could not be created.',
  addTag: 'Add tag',
  takeOff: params('Remove tag {name}'),
  tagTakenOff: params('Tag {name} removed'),
  moreTags: params('+{count}'),

  // Of one note.
  folderAndTags: 'Folder and tags',
  movedTo: params('Moved to {name}'),
  movedToShared: params('Moved to {name}. Others can read the note there.'),
  isShared: ', shared',
  movedOut: 'In no folder now',
  noteNotFiled: 'The note could not be changed.',

  recentChanges: 'Recent changes',
  recentUntil: 'Until this page is closed',
  undoThis: params('Undo: {change}'),
  notUndone: params('Not undone: {change}. {why}'),
  documentsUpdated: count({
    one: 'Documents of {count} note are being updated.',
    many: 'Documents of {count} notes are being updated.',
  }),

  orMore: params('{count}+'),
  template: 'Template',
  ownTemplates: 'Mine',
  builtInTemplates: 'Built in',
  templateAsBefore: 'as before',
  templateByFolder: 'by folder or type',
  byTemplate: params('Template: {name}'),
  byHouseTemplate: params('Template for everyone: {name}'),
  byDeletedTemplate: 'Template deleted',
  byDeletedHouseTemplate: 'Template for everyone, deleted since',
};

export type English = typeof english;
export const words = wordsFor('order', english);
