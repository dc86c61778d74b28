import { says, tellAdministrator } from './sentences.ts';

/** Why a server gave no embeddings of texts. */
export const failuresOfEmbeddings = {
  'embedding-server-unreachable': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The embedding server can’t be reached.',
      todo: 'Try again when it is running.',
      admin: '{server} ({cause})',
    },
  ),
  'embedding-server-closes': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The embedding server closes connections without an answer.',
      todo: 'Try again when it is running.',
      admin: 'The program behind the address may not be running ({cause}). {server}',
    },
  ),
  'embedding-server-broke-off': says(
    { server: 'place', cause: 'text?', during: ['request', 'answer'] },
    {
      detail: 'The embedding server broke off {during}.',
      todo: 'Try again.',
      admin: '{server}[ ({cause})]',
      choices: { during: { request: 'the connection', answer: 'in the middle of its answer' } },
    },
  ),
  'embedding-server-stopped-answering': says(
    { server: 'place' },
    {
      detail: 'The embedding server stopped in the middle of its answer.',
      todo: 'Try again.',
      admin: '{server}',
    },
  ),
  'embedding-server-busy': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The embedding server is busy.',
      todo: 'Try again later.',
      admin: '{server}[, “{said}”]',
    },
  ),
  'embedding-server-not-ready': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The embedding server isn’t ready yet.',
      todo: 'Try again later.',
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'embedding-server-late': says(
    { server: 'place', limit: 'seconds' },
    {
      detail: 'The embedding server gave no answer within {limit}.',
      todo: 'Try again.',
      admin: '{server}',
    },
  ),
  'embedding-server-failed': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The embedding server reported an error.',
      todo: 'Try again.',
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'embedding-server-cannot': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The embedding server doesn’t support this request.',
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'embedding-server-not-found': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The embedding server doesn’t know the address or the model.',
      todo: tellAdministrator.en,
      admin:
        'Check address and model (`embeddings.base_url`, `embeddings.model`). {server}[, “{said}”]',
    },
  ),
  'embedding-answer-broken': says(
    { server: 'place' },
    {
      detail: 'The answer of the embedding server is damaged.',
      todo: 'Try again.',
      admin: '{server}: broken JSON',
    },
  ),
  'embedding-server-refused': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The embedding server rejected the request.',
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'embedding-server-key-wrong': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The embedding server rejects the API key.',
      todo: tellAdministrator.en,
      admin: 'Check the key (`embeddings.api_key`). {server}[, “{said}”]',
    },
  ),
  'embedding-server-no-credit': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The quota of the embedding server is used up.',
      todo: tellAdministrator.en,
      admin: '{server}[, “{said}”]',
    },
  ),
  'embedding-server-redirects': says(
    { server: 'place', url: 'place?' },
    {
      detail: 'The embedding server redirects to another address.',
      todo: tellAdministrator.en,
      admin: '[If you trust it, set `embeddings.base_url` to {url}. ]{server}',
    },
  ),
  'embedding-server-not-api': says(
    { server: 'place', fault: ['not-json', 'too-large'], limit: 'bytes?' },
    {
      detail: 'The embedding server answers with something other than an API.',
      todo: tellAdministrator.en,
      admin: 'Check the address (`embeddings.base_url`): {server}. {fault}',
      choices: {
        fault: {
          'not-json': 'The answer isn’t JSON.',
          'too-large': 'The answer is larger than {limit}.',
        },
      },
    },
  ),
  'embedding-server-certificate': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The certificate of the embedding server isn’t trusted.',
      todo: tellAdministrator.en,
      admin: '{server} ({cause})',
    },
  ),
  'embedding-server-no-https': says(
    { server: 'place' },
    {
      detail: 'The embedding server doesn’t support https.',
      todo: tellAdministrator.en,
      admin: 'Try http:// in `embeddings.base_url`. {server}',
    },
  ),
  'embedding-server-no-model': says(
    { server: 'place' },
    {
      detail: 'The embedding server offers no model.',
      todo: tellAdministrator.en,
      admin: 'Install one for embeddings there, or set `embeddings.model`. {server}',
    },
  ),
  'embedding-answer-unusable': says(
    { server: 'place', fault: ['count', 'numbers', 'length'] },
    {
      detail: 'The embedding server gives no usable embeddings.',
      todo: tellAdministrator.en,
      admin: 'Check the model (`embeddings.model`): {fault}. {server}',
      choices: {
        fault: {
          count: 'not one embedding for each text',
          numbers: 'not lists of numbers',
          length: 'embeddings of different lengths',
        },
      },
    },
  ),
};
