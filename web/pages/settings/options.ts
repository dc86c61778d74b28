/** What this host and its models offer for some settings, so that nobody types a name by heart. */
import { computed } from 'nanostores';
import { ApiError, answer, api } from '../../client/api.ts';
import { spokenLanguages } from '../../components/spoken-languages.ts';
import { locale } from '../../words/i18n.ts';
import { words } from './words.ts';

export type Known = {
  /** Input devices of the service's computer; null: not asked for, or it did not say. */
  devices: readonly string[] | null;
  /** Installed models that recognise speech. */
  speechModels: readonly { id: string; title: string }[];
  /** Codes of the languages that models speak. */
  languages: readonly string[];
};

export const nothingKnown: Known = { devices: null, speechModels: [], languages: [] };

/** Asks for what the given settings can use. What the host lacks is empty: then it is typed. */
export async function whatIsKnown(keys: readonly string[]): Promise<Known> {
  const [devices, models] = await Promise.all([
    keys.includes('audio.device') ? orNothing(answer(api.GET('/audio/devices'))) : undefined,
    keys.includes('stt.local_model') ? orNothing(answer(api.GET('/models'))) : undefined,
  ]);
  const speech = (models?.models ?? []).filter(({ purpose }) => purpose === 'speech-to-text');
  return {
    devices: devices?.devices ?? null,
    speechModels: speech.filter(({ installed }) => installed),
    languages: [...new Set(speech.flatMap(({ languages }) => languages))],
  };
}

/** The options of a setting; undefined where it is typed. */
export const knownOptions = computed(
  [words, locale],
  ($words, $locale) =>
    (key: string, { devices, speechModels, languages }: Known) => {
      if (key === 'audio.device' && devices !== null && devices.length > 0)
        return [unset($words.defaultDevice), ...devices.map((name) => option(name))];
      if (key === 'stt.local_model' && speechModels.length > 0)
        return [unset($words.anyModel), ...speechModels.map(({ id, title }) => option(id, title))];
      if (key === 'stt.language' && languages.length > 0)
        return [
          option('auto', $words.anyLanguage),
          ...spokenLanguages($locale, languages).map(({ code, name }) => option(code, name)),
        ];
      return undefined;
    },
);

const unset = (label: string) => option('', label);
const option = (value: string, label = value) => ({ value, label });

/** A host that lacks something is asked no further; who is away says so elsewhere on the page. */
async function orNothing<Data>(asked: Promise<Data>): Promise<Data | undefined> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError) return undefined;
    throw failure;
  }
}
