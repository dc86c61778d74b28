import { says, tellAdministrator } from './sentences.ts';

/** Why documents are not written. */
export const failuresOfDocuments = {
  'documents-no-space': says({
    detail: 'The server’s disk is full.',
    todo: 'Delete recordings or tell an administrator, then try again.',
  }),
  'documents-not-writable': says({
    detail: 'Mitschrift isn’t allowed to write to your documents folder on the server.',
    todo: tellAdministrator.en,
  }),
  'document-name-taken': says({
    detail: 'A file or folder with another content has the name the document needs.',
    todo: 'Rename it, then try again.',
  }),
  'document-not-text': says(
    { document: ['index', 'transcript', 'summary'] },
    {
      detail: '{document} was changed by hand and isn’t UTF-8 text, so the file can’t be moved.',
      todo: 'Save the file as UTF-8, then try again.',
      choices: {
        document: { index: 'The overview', transcript: 'The transcript', summary: 'The summary' },
      },
    },
  ),
};
