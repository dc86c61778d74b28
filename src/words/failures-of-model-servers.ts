import { prefixed, says, tellAdministrator } from './sentences.ts';

type Todo = { again: string; later: string };

/** It is away, busy or in trouble. @param todo what to do until it is there, and until it has time */
const ofEveryAway = (of: string, { again, later }: Todo) => ({
  'server-unreachable': says(
    { server: 'place', cause: 'text' },
    {
      detail: `The ${of} server can’t be reached.`,
      todo: again,
      admin: '{server} ({cause})',
    },
  ),
  'server-closes': says(
    { server: 'place', cause: 'text' },
    {
      detail: `The ${of} server closes connections without an answer.`,
      todo: again,
      admin: 'The program behind the address may not be running ({cause}). {server}',
    },
  ),
  'server-broke-off': says(
    { server: 'place', cause: 'text?', during: ['request', 'answer'] },
    {
      detail: `The ${of} server broke off {during}.`,
      todo: 'Try again.',
      admin: '{server}[ ({cause})]',
      choices: { during: { request: 'the connection', answer: 'in the middle of its answer' } },
    },
  ),
  'server-stopped-answering': says(
    { server: 'place' },
    {
      detail: `The ${of} server stopped in the middle of its answer.`,
      todo: 'Try again.',
      admin: '{server}',
    },
  ),
  'server-busy': says(
    { server: 'place', said: 'said?' },
    {
      detail: `The ${of} server is busy.`,
      todo: later,
      admin: '{server}[, “{said}”]',
    },
  ),
  'server-not-ready': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: `The ${of} server isn’t ready yet.`,
      todo: later,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'server-failed': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: `The ${of} server reported an error.`,
      todo: 'Try again.',
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
});

/** It wants something else. */
const ofEverySetting = (of: string, section: string) => ({
  'server-cannot': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: `The ${of} server doesn’t support this request.`,
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'server-refused': says(
    { server: 'place', status: 'text', said: 'said?' },
    {
      detail: `The ${of} server rejected the request.`,
      todo: tellAdministrator.en,
      admin: '{server}: HTTP {status}[, “{said}”]',
    },
  ),
  'server-key-wrong': says(
    { server: 'place', said: 'said?' },
    {
      detail: `The ${of} server rejects the API key.`,
      todo: tellAdministrator.en,
      admin: `Check the key (\`${section}.api_key\`). {server}[, “{said}”]`,
    },
  ),
  'server-no-credit': says(
    { server: 'place', said: 'said?' },
    {
      detail: `The quota of the ${of} server is used up.`,
      todo: tellAdministrator.en,
      admin: '{server}[, “{said}”]',
    },
  ),
  'server-redirects': says(
    { server: 'place', url: 'place?' },
    {
      detail: `The ${of} server redirects to another address.`,
      todo: tellAdministrator.en,
      admin: `[If you trust it, set \`${section}.base_url\` to {url}. ]{server}`,
    },
  ),
  'server-certificate': says(
    { server: 'place', cause: 'text' },
    {
      detail: `The certificate of the ${of} server isn’t trusted.`,
      todo: tellAdministrator.en,
      admin: '{server} ({cause})',
    },
  ),
  'server-no-https': says(
    { server: 'place' },
    {
      detail: `The ${of} server doesn’t support https.`,
      todo: tellAdministrator.en,
      admin: `Try http:// in \`${section}.base_url\`. {server}`,
    },
  ),
});

/** What every server fails by, in the settings of its section. */
const ofEvery = (of: string, section: string, todo: Todo) => ({
  ...ofEveryAway(of, todo),
  ...ofEverySetting(of, section),
});

/** What servers of language models and of embeddings fail by as well. */
const ofModels = (of: string, section: string, one: string, late = '') => ({
  'server-late': says(
    { server: 'place', limit: 'seconds' },
    {
      detail: `The ${of} server gave no answer within {limit}.`,
      todo: 'Try again.',
      admin: `{server}${late}`,
    },
  ),
  'server-not-found': says(
    { server: 'place', said: 'said?' },
    {
      detail: `The ${of} server doesn’t know the address or the model.`,
      todo: tellAdministrator.en,
      admin: `Check address and model (\`${section}.base_url\`, \`${section}.model\`). {server}[, “{said}”]`,
    },
  ),
  'answer-broken': says(
    { server: 'place' },
    {
      detail: `The answer of the ${of} server is damaged.`,
      todo: 'Try again.',
      admin: '{server}: broken JSON',
    },
  ),
  'server-not-api': says(
    { server: 'place', fault: ['not-json', 'too-large'], limit: 'bytes?' },
    {
      detail: `The ${of} server answers with something other than an API.`,
      todo: tellAdministrator.en,
      admin: `Check the address (\`${section}.base_url\`): {server}. {fault}`,
      choices: {
        fault: {
          'not-json': 'The answer isn’t JSON.',
          'too-large': 'The answer is larger than {limit}.',
        },
      },
    },
  ),
  'server-no-model': says(
    { server: 'place' },
    {
      detail: `The ${of} server offers no model.`,
      todo: tellAdministrator.en,
      admin: `Install ${one} there, or set \`${section}.model\`. {server}`,
    },
  ),
});

/** What both fail by. */
const ofServer = (of: string, section: string, one: string, late?: string) => ({
  ...ofEvery(of, section, { again: 'Try again when it is running.', later: 'Try again later.' }),
  ...ofModels(of, section, one, late),
});
export type ModelServerFailure = keyof ReturnType<typeof ofServer>;

const goesOn = 'Mitschrift keeps trying.';

/** Why a server gave nothing. */
export const failuresOfModelServers = {
  ...prefixed('speech', ofEvery('speech recognition', 'stt', { again: goesOn, later: goesOn })),
  'speech-server-no-credit': says(
    { server: 'place' },
    {
      detail: 'The account at the speech recognition server has no credit left.',
      todo: tellAdministrator.en,
      admin: '{server}',
    },
  ),
  ...prefixed('language', ofServer('language model', 'llm', 'one', '; time limit: `llm.timeout`.')),
  ...prefixed('embedding', ofServer('embedding', 'embeddings', 'one for embeddings')),
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
