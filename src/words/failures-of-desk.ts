import { says } from './sentences.ts';

/** Why a recorder on a desk does not reach its Mitschrift. */
export const failuresOfDesk = {
  'mitschrift-server-unreachable': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The Mitschrift server can’t be reached.',
      todo: 'Check the address and the network.',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-closes': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The Mitschrift server closes connections without an answer.',
      todo: 'Check that it is running.',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-broke-off': says(
    { server: 'place', cause: 'text?', during: ['request', 'answer'] },
    {
      detail: 'The Mitschrift server broke off {during}.',
      admin: '{server}[ ({cause})]',
      choices: { during: { request: 'the connection', answer: 'in the middle of its answer' } },
    },
  ),
  'mitschrift-server-stopped-answering': says(
    { server: 'place' },
    { detail: 'The Mitschrift server stopped in the middle of its answer.', admin: '{server}' },
  ),
  'mitschrift-server-certificate': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The certificate of the Mitschrift server isn’t trusted.',
      todo: 'If it is your own, name its authority: NODE_EXTRA_CA_CERTS=/path/to/authority.pem mitschrift …',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-no-https': says(
    { server: 'place' },
    {
      detail: 'The Mitschrift server doesn’t support https.',
      todo: 'Try http:// in the address.',
      admin: '{server}',
    },
  ),
  'not-mitschrift': says(
    { server: 'place' },
    {
      detail: 'What answers at this address isn’t Mitschrift.',
      todo: 'Check the address.',
      admin: '{server}',
    },
  ),
};
