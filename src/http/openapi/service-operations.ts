import * as z from 'zod';
import { configPatch } from './other-answers.ts';
import * as answers from './other-answers.ts';
import { testBody } from '../routes/config.ts';
import { loginSchema } from '../routes/session.ts';
import { setupSchema } from '../routes/setup.ts';
import { newUser, ownPassword, userChanges } from '../routes/users.ts';
import type { Operation } from './operation.ts';

const nothing = { 204: { description: 'Done.' } };
const markup = (path: string, id: string, summary: string): Operation => ({
  method: 'get',
  path,
  id,
  tag: 'Service',
  summary,
  answers: {
    200: { description: 'The page.', media: ['text/html'] },
    304: { description: 'Not changed since.' },
  },
});

/** Reaching the service, logging in, users, configuration. */
export const serviceOperations: readonly Operation[] = [
  markup('/', 'page', 'The start page'),
  markup('/docs', 'docs', 'This document, to read and to try'),
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Service',
    summary: 'This document',
    answers: { 200: { description: 'OpenAPI 3.1.', json: z.record(z.string(), z.unknown()) } },
  },
  {
    method: 'get',
    path: '/health',
    id: 'health',
    tag: 'Service',
    summary: 'Whether somebody is there',
    answers: {
      200: { description: 'The service runs.', json: answers.health },
      503: { description: 'It runs, and takes nothing new.', json: answers.health },
    },
  },
  {
    method: 'get',
    path: '/setup/state',
    id: 'setupState',
    tag: 'Service',
    summary: 'Whether the first administrator is still to be created',
    answers: { 200: { description: 'Whether, and how.', json: answers.setupState } },
  },
  {
    method: 'post',
    path: '/setup',
    id: 'setUp',
    tag: 'Service',
    summary: 'Creates the first administrator, once',
    description:
      'Without `setup_code` only from the machine the service runs on. The code is in the log of the ' +
      'service and in the file `setup-code` of its data directory.',
    body: {
      kind: 'json',
      schema: setupSchema.extend({ config: configPatch.optional() }),
    },
    answers: { 201: { description: 'Created and logged in.', json: answers.session } },
    problems: ['setup-code-required', 'already-set-up', 'too-many-attempts', 'overridden'],
    command: true,
  },
  {
    method: 'post',
    path: '/login',
    id: 'login',
    tag: 'Service',
    summary: 'Gives a session token for a user name and a password',
    body: { kind: 'json', schema: loginSchema },
    answers: { 200: { description: 'Logged in.', json: answers.session } },
    problems: ['wrong-credentials', 'user-disabled', 'too-many-attempts', 'busy'],
  },
  {
    method: 'post',
    path: '/logout',
    id: 'logout',
    tag: 'Service',
    summary: 'Ends the session, and its WebSockets',
    answers: nothing,
  },
  {
    method: 'get',
    path: '/users',
    id: 'listUsers',
    tag: 'Users',
    summary: 'All users',
    answers: {
      200: { description: 'All users.', json: z.object({ users: z.array(answers.user) }) },
    },
  },
  {
    method: 'post',
    path: '/users',
    id: 'createUser',
    tag: 'Users',
    summary: 'Creates a user',
    body: { kind: 'json', schema: newUser },
    answers: { 201: { description: 'Created.', json: answers.user } },
    problems: ['not-found', 'username-taken', 'administrator-first', 'built-in-user'],
    command: true,
  },
  {
    method: 'patch',
    path: '/users/me',
    id: 'changeOwnPassword',
    tag: 'Users',
    summary: 'Changes the caller’s password; other sessions of theirs end',
    body: { kind: 'json', schema: ownPassword },
    answers: nothing,
    problems: ['too-many-attempts'],
    command: true,
  },
  {
    method: 'patch',
    path: '/users/{name}',
    id: 'changeUser',
    tag: 'Users',
    summary: 'Makes a user an administrator or not, disables or enables them, gives a new password',
    description:
      'All of it or nothing. A disabled user cannot log in; their sessions and WebSockets end at once, ' +
      'recordings and uploads in progress go on, and nothing of theirs is lost.',
    body: { kind: 'json', schema: userChanges, optional: true },
    answers: { 200: { description: 'Changed.', json: answers.user } },
    problems: ['not-found', 'last-administrator', 'own-account', 'built-in-user'],
    command: true,
  },
  {
    method: 'delete',
    path: '/users/{name}',
    id: 'deleteUser',
    tag: 'Users',
    summary: 'Deletes a user; the documents are put aside',
    answers: nothing,
    problems: ['not-found', 'last-administrator', 'built-in-user'],
    command: true,
  },
  {
    method: 'get',
    path: '/config',
    id: 'readConfig',
    tag: 'Configuration',
    summary: 'What holds now',
    answers: { 200: { description: 'Secrets are masked.', json: answers.configAnswer } },
  },
  {
    method: 'put',
    path: '/config',
    id: 'changeConfig',
    tag: 'Configuration',
    summary: 'Merges a partial configuration into what is set',
    description:
      'Keys that are not named keep their values. All of it or nothing. A masked secret written back ' +
      'changes nothing.',
    body: { kind: 'json', schema: configPatch, optional: true },
    answers: { 200: { description: 'What holds now.', json: answers.configAnswer } },
    problems: ['overridden'],
    command: true,
  },
  {
    method: 'post',
    path: '/config/test',
    id: 'testConfig',
    tag: 'Configuration',
    summary: 'Tries servers with the given settings over the stored ones; saves nothing',
    body: { kind: 'json', schema: testBody, optional: true },
    answers: { 200: { description: 'What came of it, in words.', json: answers.trial } },
    problems: ['overridden'],
  },
];
