import { says, tellAdministrator } from './sentences.ts';

/** Why an answer is of no use. */
export const faultsOfAnswers = [
  'no-title',
  'title-lines',
  'title-json',
  'title-title',
  'unrelated',
  'no-lines',
  'too-short',
  'unreadable',
  'repeats-itself',
  'declines',
  'repeats-task',
  'repeats-text',
  'other-language',
  'empty',
] as const;
export type FaultOfAnswer = (typeof faultsOfAnswers)[number];

const faultWords = {
  'no-title': 'contains no title',
  'title-lines': 'has a title of more than one line',
  'title-json': 'has JSON as its title',
  'title-title': 'has the word “title” as its title',
  unrelated: 'has a title or a short version that shares no word with what was said',
  'no-lines': 'contains no lines',
  'too-short': 'is too short',
  unreadable: 'contains unreadable characters',
  'repeats-itself': 'repeats itself',
  declines: 'declines the task',
  'repeats-task': 'repeats the task',
  'repeats-text': 'repeats the transcript',
  'other-language': 'is in another language',
  empty: 'is empty',
} as const satisfies Record<FaultOfAnswer, string>;

/** Why a language model gave nothing. */
export const failuresOfLanguage = {
  'no-language-model': says('No language model is set up.'),
  'language-model-removed': says({
    detail: 'The language model is no longer set up, so the documents are unchanged.',
    todo: tellAdministrator.en,
    admin: 'Set a language model server (`llm.base_url`).',
  }),
  'language-server-unreachable': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The language model server can’t be reached.',
      todo: 'Try again when it is running.',
      admin: '{server} ({cause})',
    },
  ),
  'language-server-closes': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The language model server closes connections without an answer.',
      todo: 'Try again when it is running.',
      admin: 'The program behind the address may not be running ({cause}). {server}',
    },
  ),
  'language-server-broke-off': says(
    { server: 'place', cause: 'text?', during: ['request', 'answer'] },
    {
      detail: 'The language model server broke off {during}.',
      todo: 'Try again.',
      admin: '{server}[ ({cause})]',
      choices: { during: { request: 'the connection', answer: 'in the middle of its answer' } },
    },
  ),
  'language-server-stopped-answering': says(
    { server: 'place' },
    {
      detail: 'The language model server stopped in the middle of its answer.',
      todo: 'Try again.',
      admin: '{server}',
    },
  ),
  'language-server-busy': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The language model server is busy.',
      todo: 'Try again later.',
      admin: '{server}[, “{said}”]',
    },
  ),
  'language-server-not-ready': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The language model server isn’t ready yet.',
      todo: 'Try again later.',
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'language-server-late': says(
    { server: 'place', limit: 'seconds' },
    {
      detail: 'The language model server gave no answer within {limit}.',
      todo: 'Try again.',
      admin: '{server}; time limit: `llm.timeout`.',
    },
  ),
  'language-server-failed': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The language model server reported an error.',
      todo: 'Try again.',
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'language-server-cannot': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The language model server doesn’t support this request.',
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'language-server-not-found': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The language model server doesn’t know the address or the model.',
      todo: tellAdministrator.en,
      admin: 'Check address and model (`llm.base_url`, `llm.model`). {server}[, “{said}”]',
    },
  ),
  'language-answer-broken': says(
    { server: 'place' },
    {
      detail: 'The answer of the language model server is damaged.',
      todo: 'Try again.',
      admin: '{server}: broken JSON',
    },
  ),
  'language-server-refused': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: 'The language model server rejected the request.',
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'language-server-key-wrong': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The language model server rejects the API key.',
      todo: tellAdministrator.en,
      admin: 'Check the key (`llm.api_key`). {server}[, “{said}”]',
    },
  ),
  'language-server-no-credit': says(
    { server: 'place', said: 'said?' },
    {
      detail: 'The quota of the language model server is used up.',
      todo: tellAdministrator.en,
      admin: '{server}[, “{said}”]',
    },
  ),
  'language-server-redirects': says(
    { server: 'place', url: 'place?' },
    {
      detail: 'The language model server redirects to another address.',
      todo: tellAdministrator.en,
      admin: '[If you trust it, set `llm.base_url` to {url}. ]{server}',
    },
  ),
  'language-server-not-api': says(
    { server: 'place', fault: ['not-json', 'too-large'], limit: 'bytes?' },
    {
      detail: 'The language model server answers with something other than an API.',
      todo: tellAdministrator.en,
      admin: 'Check the address (`llm.base_url`): {server}. {fault}',
      choices: {
        fault: {
          'not-json': 'The answer isn’t JSON.',
          'too-large': 'The answer is larger than {limit}.',
        },
      },
    },
  ),
  'language-server-certificate': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The certificate of the language model server isn’t trusted.',
      todo: tellAdministrator.en,
      admin: '{server} ({cause})',
    },
  ),
  'language-server-no-https': says(
    { server: 'place' },
    {
      detail: 'The language model server doesn’t support https.',
      todo: tellAdministrator.en,
      admin: 'Try http:// in `llm.base_url`. {server}',
    },
  ),
  'language-server-no-model': says(
    { server: 'place' },
    {
      detail: 'The language model server offers no model.',
      todo: tellAdministrator.en,
      admin: 'Install one there, or set `llm.model`. {server}',
    },
  ),
  'context-too-small': says(
    { server: 'place', read: 'integer?', least: 'integer?', said: 'said?' },
    {
      detail: 'The language model’s context window is too small for this recording.',
      todo: tellAdministrator.en,
      admin:
        '[It read only {read} of at least {least} tokens. ]Give the model a larger context window on {server}, or set `llm.context` to its size.[ It says: “{said}”]',
    },
  ),
  'context-too-small-to-merge': says({
    detail:
      'The language model’s context window is too small to combine the partial summaries of this recording.',
    todo: tellAdministrator.en,
    admin: '`llm.context`',
  }),
  'content-refused': says(
    { said: 'said?' },
    {
      detail: 'The language model refused this content.',
      todo: 'Write the summary yourself, or ask an administrator for another model.',
      admin: '[It says: “{said}”]',
    },
  ),
  'answer-declined': says('The language model declined to answer.'),
  'answer-unfinished': says({
    detail: 'The language model didn’t finish its answer.',
    todo: 'Try again.',
  }),
  'answer-empty': says({ detail: 'The language model gave an empty answer.', todo: 'Try again.' }),
  'no-title-answered': says(
    { fault: faultsOfAnswers },
    {
      detail: 'The language model gave no usable title: its answer {fault}.',
      choices: { fault: faultWords },
    },
  ),
  'no-summary-answered': says(
    { fault: faultsOfAnswers },
    {
      detail: 'The language model gave no usable summary: its answer {fault}.',
      choices: { fault: faultWords },
    },
  ),
};
