import { says } from './sentences.ts';

/** Details of problems with recordings, documents, accounts and sessions. */
export const detailsOfRecordings = {
  'recording-not-found': says(
    {},
    { detail: 'This recording doesn’t exist, or it belongs to someone else.' },
  ),
  'recording-not-yet': says({}, { detail: 'This recording didn’t exist yet at that point.' }),
  'version-not-found': says({}, { detail: 'This version doesn’t exist.' }),
  'sidenote-not-found': says({}, { detail: 'This side note doesn’t exist.' }),
  'line-not-found': says({}, { detail: 'This line of the summary doesn’t exist.' }),
  'summary-changed': says(
    {},
    {
      detail:
        'The summary has changed in the meantime, so your edits were not saved. Reload the page and make them again.',
    },
  ),
  'no-new-summary': says({}, { detail: 'No new summary is waiting for a decision.' }),
  'transcript-not-ready': says({}, { detail: 'This recording has no transcript yet.' }),
  'documents-not-ready': says({}, { detail: 'This recording has no documents yet.' }),
  'audio-not-kept': says(
    {},
    {
      detail: 'There is no audio: either the recording hasn’t finished, or its audio wasn’t kept.',
    },
  ),
  'document-not-found': says({}, { detail: 'This document doesn’t exist.' }),
  'document-not-of-recording': says(
    {},
    { detail: 'This document doesn’t belong to any of your recordings.' },
  ),
  'passage-not-found': says({}, { detail: 'This passage doesn’t exist.' }),
  'passages-changed': says(
    {},
    {
      detail:
        'The transcript has changed in the meantime, so your edits were not saved. Reload the page and make them again.',
    },
  ),
  'other-rules': says(
    {},
    {
      detail:
        'The rules have changed in the meantime, so their order was not saved. Reload the page and sort them again.',
    },
  ),
  'document-changed': says(
    {},
    {
      detail:
        'The document has changed in the meantime, so your edits were not saved. Reload it and make them again.',
    },
  ),
  'if-match-missing': says(
    {},
    { detail: 'Send `If-Match` with the `ETag` of what you have edited.' },
  ),
  'revision-missing': says(
    {},
    {
      detail:
        'Send `If-Match` with the `ETag` of what you have edited, or a `revision` with each `block`.',
    },
  ),
  'processing-failed-before': says(
    {},
    {
      detail:
        'Processing failed last time. Choose “Try again”, or dismiss the error; then you can process the recording again from any step. (API: `POST …/retry`, `POST …/clear`)',
    },
  ),
  'audio-removed': says(
    {},
    {
      detail:
        'This recording’s audio was removed after its documents were written, so it can’t be transcribed again. The transcript is still there: process it again with the language model.',
      admin: '“Keep audio” (`audio.keep`) is set to none.',
    },
  ),
  'being-assembled': says(
    {},
    { detail: 'This note is just being joined, cut or shortened. Try again in a moment.' },
  ),
  'audio-still-comes': says(
    {},
    {
      detail:
        'More audio of this recording is still coming from the browser or recorder, so the recording can’t be joined, cut or shortened yet. Nothing was changed. Try again when that audio has been added; if the browser goes offline, after ten minutes.',
    },
  ),
  'audio-not-taken': says(
    {},
    {
      detail:
        'The audio of this recording is saved but not processed yet, so the error can’t be dismissed. Try again, or delete the recording.',
    },
  ),
  'no-audio-to-assemble': says(
    {},
    {
      detail:
        'The audio of this recording wasn’t kept, so the recording can’t be continued, joined, cut or shortened.',
      admin: '“Keep audio” (`audio.keep`) decides whether audio is kept.',
    },
  ),
  'transcript-being-replaced': says(
    {},
    { detail: 'The transcript is being replaced. Try again in a moment.' },
  ),
  'lists-being-rebuilt': says(
    {},
    { detail: 'Mitschrift is rebuilding its lists. Try again in a moment.' },
  ),
  'owner-deleted': says(
    {},
    {
      detail:
        'The owner of this recording was deleted. It can be given to another person or erased, but not changed.',
    },
  ),
  'recordings-of-others': says({}, { detail: 'These recordings belong to someone else.' }),
  'handover-admin-only': says(
    {},
    { detail: 'Only an administrator can give a recording to another person.' },
  ),
  'feed-of-all-admin-only': says(
    {},
    { detail: 'Only an administrator can follow the recordings of all people.' },
  ),
  'device-trial-admin-only': says(
    {},
    { detail: 'Only an administrator can test the server’s devices.' },
  ),
  'token-missing': says(
    {},
    { detail: 'Log in and send the token as `Authorization: Bearer <token>`.' },
  ),
  'ticket-expired': says(
    {},
    { detail: 'This link has expired. Reload the page to get a new one.' },
  ),
  'session-ended': says({}, { detail: 'Your session has ended. Log in again.' }),
  'code-wrong': says(
    {},
    { detail: 'Wrong code. Each code is valid once and for 30 seconds; check the phone’s clock.' },
  ),
  'current-password-wrong': says({}, { detail: 'The current password is wrong.' }),
  'user-not-found': says({}, { detail: 'There is no user with this name.' }),
  'shared-through-others': says(
    {},
    {
      detail:
        'Your access comes through a group or a folder. Ask the person who shares, or an administrator.',
    },
  ),
  'link-password-wrong': says(
    {},
    { detail: 'Wrong password. After several wrong passwords you have to wait.' },
  ),
  'guest-not-shared': says(
    {},
    {
      detail:
        'Notes of guest can’t be shared. An administrator can hand the note over to somebody first.',
    },
  ),
  'group-not-found': says({}, { detail: 'There is no such group.' }),
  'user-deleted-since': says({}, { detail: 'The user was created, but has been deleted since.' }),
  'username-taken-nearly': says(
    { name: 'text' },
    { detail: 'The user name {name} looks like that of another user. Choose another one.' },
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
    {},
    {
      detail:
        'The user name must not contain spaces. Letters, digits and @ . + - _ are allowed, as in anna.berg.',
    },
  ),
  'username-characters': says(
    { characters: 'list' },
    {
      detail:
        'The user name must not contain {characters}. Letters, digits and @ . + - _ are allowed.',
    },
  ),
  'username-start': says({}, { detail: 'The user name must start with a letter or a digit.' }),
  'username-scripts': says(
    {},
    {
      detail:
        'The user name mixes letters of several scripts, such as Latin and Cyrillic. Use one only.',
    },
  ),
  'username-reserved': says(
    { name: 'text' },
    { detail: 'The name {name} is reserved. Choose another one.' },
  ),
  'password-common': says(
    {},
    { detail: 'This password is one of the most common ones. Choose another one.' },
  ),
  'password-of-names': says(
    {},
    {
      detail:
        'The password must not consist of the user name or the name of this program. Choose another one.',
    },
  ),
  'password-unchanged': says({}, { detail: 'The new password must differ from the current one.' }),
  'password-hash-form': says(
    {},
    { detail: 'The password hash must be argon2id, pbkdf2-sha256 or scrypt in PHC form.' },
  ),
  'password-hash-weak': says(
    {},
    { detail: 'The password hash is too weak. Create the user with a new password.' },
  ),
  'password-hash-costly': says(
    {},
    { detail: 'The password hash costs too much. Create the user with a new password.' },
  ),
  'password-short': says(
    { least: 'integer' },
    { detail: 'The password is too short. Choose one of at least {least} characters.' },
  ),
  'password-long': says(
    { most: 'integer' },
    { detail: 'The password is too long. Choose one of at most {most} characters.' },
  ),
};
