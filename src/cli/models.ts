import { onStopSignals } from './stop-signals.ts';
import cliProgress from 'cli-progress';
import { askService } from '../service/control/socket.ts';
import { commandLine } from '../shared/command-line.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { openLogger } from '../shared/log.ts';
import type { ListedModel, ModelProgress } from '../speech/catalogue/list-models.ts';
import { ModelError } from '../speech/catalogue/model-error.ts';
import { type ModelStore, openModelStore } from '../speech/catalogue/model-store.ts';
import { confirmed } from './confirmed.ts';
import { presentSettings } from './settings.ts';
import { inEnglish } from '../words/say.ts';

/** `mitschrift models list`: what is installed, what there is, and what is recommended for this machine. */
export async function listModelsCommand({ json }: { json: boolean }): Promise<void> {
  const { models, broken } = await (await openStore()).list();
  if (json) console.log(JSON.stringify({ models, broken }));
  else {
    const sorted = models.toSorted(byInterest);
    for (const model of sorted) console.log(described(model));
    const next = sorted.find(({ installed, recommended }) => !installed && recommended !== null);
    if (next) console.log(`To install a model: ${commandLine(`models install ${next.id}`)}`);
    for (const { file, problem } of broken) console.error(`${file} is ignored: ${problem}`);
  }
}

/** `mitschrift models install ID…`, one after the other; a running service uses them at once. */
export async function installModels(ids: readonly string[]): Promise<void> {
  const store = await openStore();
  const interrupted = () => void store.close();
  onStopSignals(['SIGINT', 'SIGTERM'], interrupted);
  const shown = progressShown(store);
  for (const id of ids) {
    try {
      const { done } = await store.install(id);
      const model = await done;
      shown.stop();
      await tellService(model.id);
      console.log(`${model.title} is installed in ${model.folder}.`);
    } catch (error) {
      shown.stop();
      // An unknown model is named by its own sentence.
      const isKnown = !(error instanceof ModelError && error.code === 'model-unknown');
      fail(error, isKnown ? `${id}: ` : '');
      return;
    }
  }
}

/** `mitschrift models import PATH`: an archive or a folder, for hosts without internet. */
export async function importModelCommand(path: string): Promise<void> {
  const stop = new AbortController();
  onStopSignals(['SIGINT', 'SIGTERM'], () => stop.abort());
  try {
    const model = await (await openStore()).importFrom(path, stop.signal);
    await tellService(model.id);
    console.log(`${model.title} is installed in ${model.folder}.`);
  } catch (error) {
    fail(error);
  }
}

/** `mitschrift models remove ID`: asks first, and says what the model is used for. */
export async function removeModelCommand(id: string, { yes }: { yes: boolean }): Promise<void> {
  const store = await openStore();
  const { models } = await store.list();
  const uses = models.find((model) => model.id === id)?.used_for ?? [];
  const question = `Remove ${id}?${uses.length > 0 ? ` It is in use: ${uses.map(inEnglish).join(' ')}` : ''}`;
  if (!yes && !(await confirmed(question))) {
    console.log(`${id} was not removed.`);
    process.exitCode = 1;
    return;
  }
  try {
    await store.remove(id);
    await tellService(id);
    console.log(`${id} was removed.`);
  } catch (error) {
    fail(error);
  }
}

/** So that open pages show it. A running service uses the models that are there, told or not. */
async function tellService(id: string): Promise<void> {
  const { controlSocket } = hostFrom(process.env).data;
  await askService(controlSocket, 'model-changed', { id }).catch(() => {}); // it starts, or is of another release
}

async function openStore(): Promise<ModelStore> {
  const host = hostFrom(process.env);
  const { settings } = await presentSettings(host);
  return openModelStore({
    modelsDir: host.data.models,
    catalogueDir: host.data.catalogue,
    settings: () => settings,
    log: openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] || 'silent'),
  });
}

/** @throws what is not about the model */
function fail(error: unknown, of = ''): void {
  const isCancelled = error instanceof Error && error.name === 'AbortError';
  if (!isCancelled && !(error instanceof ModelError)) throw error;
  console.error(
    isCancelled
      ? 'Interrupted. Run the command again to continue.'
      : `${of}${[error, ...(error.cause instanceof ModelError ? [error.cause] : [])].map(({ message }) => message).join(' ')}`,
  );
  process.exitCode = 1;
}

/** Installed ones first, then what is recommended. */
const byInterest = (a: ListedModel, b: ListedModel): number => interest(b) - interest(a);
const interest = ({ installed, recommended }: ListedModel): number =>
  (installed ? 2 : 0) + (recommended === null ? 0 : 1);

function described(model: ListedModel): string {
  const state = model.installed ? 'installed' : model.recommended ? 'recommended' : '';
  const spoken =
    model.languages.length > 6
      ? `${model.languages.length} languages`
      : model.languages.join(', ') || 'any language';
  const lines = [
    `${model.id.padEnd(26)} ${state.padEnd(12)} ${megabytes(model.size).padStart(8)}  ${model.purpose}, ${spoken}`,
    typeof model.about === 'string' ? model.about : model.about && inEnglish(model.about),
    model.installed ? null : model.recommended && inEnglish(model.recommended),
    ...model.used_for.map(inEnglish),
    model.error && inEnglish(model.error),
  ];
  return lines.filter((line) => line !== null && line !== '').join('\n    ');
}

const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

/** A bar on a terminal, else a line for each phase. */
function progressShown(store: ModelStore): { stop(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) {
    let last = '';
    store.onProgress((id, progress) => {
      const line = progress === null ? last : `${id}: ${phases[progress.phase]}`;
      if (line !== last) console.error(line);
      last = line;
    });
    return { stop: () => {} };
  }
  let bar: cliProgress.SingleBar | undefined;
  store.onProgress((id, progress) => {
    if (progress === null) return;
    bar ??= openBar();
    bar.update(Math.round((progress.fraction ?? 0) * 100), {
      what: `${id}: ${sentence(progress)}`,
    });
  });
  return {
    stop() {
      bar?.stop();
      bar = undefined;
    },
  };
}

function openBar(): cliProgress.SingleBar {
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage} %  {what}',
    hideCursor: true,
  });
  bar.start(100, 0, { what: '' });
  return bar;
}

const phases: Record<ModelProgress['phase'], string> = {
  waiting: 'waiting',
  downloading: 'downloading',
  unpacking: 'unpacking',
  checking: 'testing',
};

function sentence({ phase, bytes, total, rate, seconds_left: left }: ModelProgress): string {
  if (phase !== 'downloading') return phases[phase];
  const of = total === null ? '' : ` of ${megabytes(total)}`;
  const speed = rate === null ? '' : `, ${(rate / 1e6).toFixed(1)} MB/s`;
  return `${megabytes(bytes)}${of}${speed}${left === null ? '' : `, ${timeLeft(left)} left`}`;
}

const timeLeft = (seconds: number): string =>
  seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
