import * as z from 'zod';
import { wrong } from '../shared/in-words.ts';
import { namesMax, personNameMax } from '../shared/people-limits.ts';
import { plainTitle } from '../../projections/recording/reading.ts';

/** Of all names in one text. */
const textCharactersMax = 4096;

/** A name of somebody who may be heard, on one line. */
const personSchema = z
  .string()
  .max(personNameMax)
  .regex(/^[^\r\n\u2028\u2029]*$/u, wrong('not-one-line'))
  .transform((text) => plainTitle(text.normalize('NFC')).replaceAll(/\s+/g, ' ').trim())
  .refine((name) => name !== '', wrong('field-empty'));

/** Names of people who may be heard; each once. */
export const peopleSchema = z
  .array(personSchema)
  .max(namesMax)
  .transform((names) => [...new Set(names)]);

/** The same in one text, as a form and the command line have it: names with commas between, or a JSON array of them. */
export const peopleFieldSchema = z
  .string()
  .max(textCharactersMax)
  .transform((text, { addIssue }): string[] => {
    if (!text.trim().startsWith('[')) return text.split(',').filter((name) => name.trim() !== '');
    try {
      return JSON.parse(text);
    } catch {
      addIssue({ code: 'custom', message: wrong('not-names') });
      return z.NEVER;
    }
  })
  .pipe(peopleSchema)
  .describe('names of people who may be heard: with commas between, or a JSON array');
