import { type LabelCode, labelOf } from '../words/labels-of-documents.ts';
import type { Language } from '../words/params.ts';
import { say } from '../words/say.ts';

/** What says labels in a language of the interface. A change of their words is a change of `rendererVersion`. */
export const labelsIn =
  (language: Language) =>
  <Code extends LabelCode>(...label: Parameters<typeof labelOf<Code>>): string =>
    say(labelOf<Code>(...label), language)!.detail;
