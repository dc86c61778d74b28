import { languageCode } from '../../shared/languages.ts';
import {
  type InstalledModel,
  type ModelPurpose,
  installedModels,
  sherpaInstalled,
  speaksLanguage,
} from '../local/local-models.ts';
import { damagedChecksums, type InstallPhase } from './adopt-model.ts';
import { type ModelDownload, downloadsOf, preferred, readCatalogue } from './catalogue.ts';
import type { Machine } from '../../shared/machine.ts';
import { recommended } from './recommend.ts';
import { aboutModel } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';

/** How far an installation is. */
export type ModelProgress = {
  phase: 'waiting' | InstallPhase;
  /** 0 to 1; null as long as the server has not said how much there is, and while it is checked. */
  fraction: number | null;
  bytes: number;
  total: number | null;
  /** Bytes a second over the last seconds. */
  rate: number | null;
  seconds_left: number | null;
};

/** A model of the catalogue or of this host. */
export type ListedModel = {
  id: string;
  title: string;
  /** A house's own entry says it itself, in one language. */
  about: Sentence | string | null;
  purpose: ModelPurpose;
  languages: readonly string[];
  /** Bytes on the disk, about as long as it is not installed. */
  size: number;
  license: string;
  memory_gb: number | null;
  /** Why it is recommended for this machine and the language that is usually spoken; null when it is not. */
  recommended: Sentence | null;
  installed: boolean;
  /** What it is used for at the moment. */
  used_for: Sentence[];
  progress: ModelProgress | null;
  /** Why the last installation failed. */
  error: Sentence | null;
  /** Empty for a model that the catalogue does not have. */
  downloads: ModelDownload[];
};

/** The settings that models depend on. */
export type ModelSettings = {
  'stt.local_model': string | null;
  'stt.language': string;
  'models.mirror': string | null;
};

/** Where models and their descriptions are, and what they would run on. */
export type ModelPlaces = {
  /** Where models are looked for; they are installed into the first. */
  modelsDir: readonly [string, ...string[]];
  /** A house's own catalogue entries. */
  catalogueDir: string;
  machine: Machine;
};

export type ModelList = {
  models: ListedModel[];
  broken: { file: string; problem: string }[];
};

/** What is on its way or went wrong, by id. */
type Works = {
  progress(id: string): ModelProgress | null;
  /** @param isInstalled what failed before that is no longer of interest */
  failure(id: string, isInstalled: boolean): Sentence | null;
};

/** The models of the catalogue, those of this host, and what cannot be used of both. */
export async function listModels(
  { modelsDir, catalogueDir, machine }: ModelPlaces,
  settings: ModelSettings,
  works: Works,
): Promise<ModelList> {
  const { entries, broken } = await readCatalogue(catalogueDir);
  const installed = await installedModels(modelsDir);
  const language = languageCode(settings['stt.language']);
  const advice = recommended(entries, language, machine);
  const uses = usesOf(installed.models, settings['stt.local_model'], language);
  const ids = [...new Set([...entries, ...installed.models].map(({ id }) => id))];
  const models = ids.flatMap((id): ListedModel[] => {
    const entry = entries.find((one) => one.id === id);
    const here = installed.models.find((one) => one.id === id);
    const known = here ?? entry;
    if (!known) return [];
    return [
      {
        id,
        title: known.title,
        about: entry === undefined ? null : (entry.about ?? aboutOf(id)),
        purpose: known.purpose,
        languages: known.languages,
        size: here ? bytesOf(here) : (entry?.size ?? 0),
        license: known.license,
        memory_gb: entry?.memory_gb ?? null,
        recommended: advice.get(id) ?? null,
        installed: here !== undefined,
        used_for: uses.get(id) ?? [],
        progress: works.progress(id),
        error: works.failure(id, here !== undefined),
        downloads: entry === undefined ? [] : downloadsOf(entry),
      },
    ];
  });
  const unusable = installed.broken.map(({ folder, problem }) => ({ file: folder, problem }));
  return { models, broken: [...broken, ...unusable, ...(await damagedChecksums(modelsDir[0]))] };
}

const bytesOf = ({ files }: InstalledModel): number =>
  Object.values(files).reduce((sum, { size }) => sum + size, 0);

/** What is good about a model of ours. */
const aboutOf = (id: string): Sentence => ({
  area: 'model',
  code: `about-${id.replaceAll('.', '-')}`,
});

/** What each model is used for as things are. */
function usesOf(
  models: readonly InstalledModel[],
  chosen: string | null,
  language: string | null,
): Map<string, Sentence[]> {
  const uses = new Map<string, Sentence[]>();
  if (!sherpaInstalled()) return uses;
  const recognisers = preferred(models.filter(({ purpose }) => purpose === 'speech-to-text'));
  const recogniser =
    chosen === null
      ? recognisers.find((one) => speaksLanguage(one, language))
      : recognisers.find(({ id }) => id === chosen);
  if (recogniser) {
    const use = recogniser.id === chosen ? 'used-for-speech-chosen' : 'used-for-speech';
    uses.set(recogniser.id, [aboutModel(use)]);
  }
  for (const [purpose, use] of Object.entries(otherUses)) {
    const first = models.find((one) => one.purpose === purpose);
    if (first) uses.set(first.id, [use]);
  }
  return uses;
}

const otherUses: Partial<Record<ModelPurpose, Sentence>> = {
  'streaming-speech-to-text': aboutModel('used-for-interim'),
  'voice-activity': aboutModel('used-for-detection'),
  'speaker-segmentation': aboutModel('used-for-speakers'),
  'speaker-embedding': aboutModel('used-for-speakers'),
  punctuation: aboutModel('used-for-punctuation'),
};
