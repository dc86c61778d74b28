import { says } from './sentences.ts';

/** Details of problems with recordings, documents, accounts and sessions. */
export const detailsOfRecordings = {
  'recording-not-found': says('This recording doesn’t exist, or it belongs to someone else.'),
  'recording-not-yet': says('This recording didn’t exist yet at that point.'),
  'version-not-found': says('This version doesn’t exist.'),
  'sidenote-not-found': says('This side note doesn’t exist.'),
  'line-not-found': says('This line of the summary doesn’t exist.'),
  'summary-changed': says(
    'The summary has changed in the meantime, so your edits were not saved. Reload the page and make them again.',
  ),
  'no-new-summary': says('No new summary is waiting for a decision.'),
  'transcript-not-ready': says('This recording has no transcript yet.'),
  'documents-not-ready': says('This recording has no documents yet.'),
  'audio-not-kept': says(
    'There is no audio: either the recording hasn’t finished, or its audio wasn’t kept.',
  ),
  'document-not-found': says('This document doesn’t exist.'),
  'document-not-of-recording': says('This document doesn’t belong to any of your recordings.'),
  'passage-not-found': says('This passage doesn’t exist.'),
  'passages-changed': says(
    'The transcript has changed in the meantime, so your edits were not saved. Reload the page and make them again.',
  ),
  'other-rules': says(
    'The rules have changed in the meantime, so their order was not saved. Reload the page and sort them again.',
  ),
  'document-changed': says(
    'The document has changed in the meantime, so your edits were not saved. Reload it and make them again.',
  ),
  'if-match-missing': says('Send `If-Match` with the `ETag` of what you have edited.'),
  'revision-missing': says(
    'Send `If-Match` with the `ETag` of what you have edited, or a `revision` with each `block`.',
  ),
  'processing-failed-before': says(
    'Processing failed last time. Choose “Try again”, or dismiss the error; then you can process the recording again from any step. (API: `POST …/retry`, `POST …/clear`)',
  ),
  'audio-removed': says({
    detail:
      'This recording’s audio was removed after its documents were written, so it can’t be transcribed again. The transcript is still there: process it again with the language model.',
    admin: '“Keep audio” (`audio.keep`) is set to none.',
  }),
  'being-assembled': says(
    'This note is just being joined, cut or shortened. Try again in a moment.',
  ),
  'audio-still-comes': says(
    'More audio of this recording is still coming from the browser or recorder, so the recording can’t be joined, cut or shortened yet. Nothing was changed. Try again when that audio has been added; if the browser goes offline, after ten minutes.',
  ),
  'audio-not-taken': says(
    'The audio of this recording is saved but not processed yet, so the error can’t be dismissed. Try again, or delete the recording.',
  ),
  'no-audio-to-assemble': says({
    detail:
      'The audio of this recording wasn’t kept, so the recording can’t be continued, joined, cut or shortened.',
    admin: '“Keep audio” (`audio.keep`) decides whether audio is kept.',
  }),
  'transcript-being-replaced': says('The transcript is being replaced. Try again in a moment.'),
  'lists-being-rebuilt': says('Mitschrift is rebuilding its lists. Try again in a moment.'),
  'owner-deleted': says(
    'The owner of this recording was deleted. It can be given to another person or erased, but not changed.',
  ),
  'recordings-of-others': says('These recordings belong to someone else.'),
  'handover-admin-only': says('Only an administrator can give a recording to another person.'),
  'feed-of-all-admin-only': says('Only an administrator can follow the recordings of all people.'),
  'device-trial-admin-only': says('Only an administrator can test the server’s devices.'),
  'token-missing': says('Log in and send the token as `Authorization: Bearer <token>`.'),
  'ticket-expired': says('This link has expired. Reload the page to get a new one.'),
  'session-ended': says('Your session has ended. Log in again.'),
  'code-wrong': says(
    'Wrong code. Each code is valid once and for 30 seconds; check the phone’s clock.',
  ),
  'current-password-wrong': says('The current password is wrong.'),
  'user-not-found': says('There is no user with this name.'),
  'shared-through-others': says(
    'Your access comes through a group or a folder. Ask the person who shares, or an administrator.',
  ),
  'link-password-wrong': says('Wrong password. After several wrong passwords you have to wait.'),
  'guest-not-shared': says(
    'Notes of guest can’t be shared. An administrator can hand the note over to somebody first.',
  ),
  'group-not-found': says('There is no such group.'),
  'user-deleted-since': says('The user was created, but has been deleted since.'),
  'username-taken-nearly': says(
    { name: 'text' },
    'The user name {name} looks like that of another user. Choose another one.',
  ),
  'username-length': says(
    { count: 'integer' },
    {
      detail: {
        one: 'The user name has {count} character. Choose one of 2 to 32 characters.',
        other: 'The user name has {count} characters. Choose one of 2 to 32 characters.',
      },
    },
  ),
  'username-space': says(
    'The user name must not contain spaces. Letters, digits and @ . + - _ are allowed, as in anna.berg.',
  ),
  'username-characters': says(
    { characters: 'list' },
    'The user name must not contain {characters}. Letters, digits and @ . + - _ are allowed.',
  ),
  'username-start': says('The user name must start with a letter or a digit.'),
  'username-scripts': says(
    'The user name mixes letters of several scripts, such as Latin and Cyrillic. Use one only.',
  ),
  'username-reserved': says({ name: 'text' }, 'The name {name} is reserved. Choose another one.'),
  'password-common': says('This password is one of the most common ones. Choose another one.'),
  'password-of-names': says(
    'The password must not consist of the user name or the name of this program. Choose another one.',
  ),
  'password-unchanged': says('The new password must differ from the current one.'),
  'password-hash-form': says(
    'The password hash must be argon2id, pbkdf2-sha256 or scrypt in PHC form.',
  ),
  'password-hash-weak': says('The password hash is too weak. Create the user with a new password.'),
  'password-hash-costly': says(
    'The password hash costs too much. Create the user with a new password.',
  ),
  'password-short': says(
    { least: 'integer' },
    'The password is too short. Choose one of at least {least} characters.',
  ),
  'password-long': says(
    { most: 'integer' },
    'The password is too long. Choose one of at most {most} characters.',
  ),
};
