/** What stands in the paths, by name. */
export const pathParameters: Readonly<Record<string, { description: string; example: string }>> = {
  id: { description: 'Id of a recording, a ULID.', example: '01M7YB8DQZG1E7K5Q61TP77TYM' },
  upload: {
    description: 'Id of a resumable upload, from the `Location` that `POST /uploads` gives.',
    example: '0123456789abcdef0123456789abcdef',
  },
  filename: {
    description:
      'Path of a document, relative to the user’s space. Its slashes may be sent raw or as `%2F`.',
    example: '2026-11-20 09.30 Budget.md',
  },
  index: { description: 'Index of an utterance in `GET /recordings/{id}`.', example: '3' },
  version: { description: 'Version of a recording’s documents.', example: '2' },
  name: { description: 'A user’s name, compared without case.', example: 'anna' },
};
