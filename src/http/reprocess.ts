import * as z from 'zod';
import type { RecordingFactOf } from '../../events/recording-facts.ts';
import { languageSchema } from './language.ts';

/** Body of the two reprocess routes. What is left out stays as it was. */
export const reprocessSchema = z.strictObject({
  from: z.enum(['language-model', 'speech-to-text']).default('language-model'),
  language: languageSchema.optional(),
  speakers: z.number().int().min(1).max(20).nullable().optional(),
});

export const reprocessFact = ({
  from,
  language,
  speakers,
}: z.output<typeof reprocessSchema>): RecordingFactOf<'reprocessing.requested'> => ({
  type: 'reprocessing.requested',
  data: {
    from,
    ...(language === undefined ? {} : { language }),
    ...(speakers === undefined ? {} : { speakers }),
  },
});
