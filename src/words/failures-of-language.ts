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
