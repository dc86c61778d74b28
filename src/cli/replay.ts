import { type DataFolder, dataFolder, hostFrom } from '../shared/data-directory.ts';
import { assertOwnLog, withLogAlone } from '../integrity/open-mark.ts';
import { type LogCheck, checkLog } from '../recordings/check-log.ts';
import { askService } from '../service/control/socket.ts';
import { openConfig } from '../config/config.ts';
import { openSecretStore } from '../config/secret-store.ts';
import { openSecretsFile } from '../config/secrets-file.ts';
import { openLogger } from '../shared/log.ts';
import { openPipeline } from '../service/pipeline.ts';
import { type Replayed, replayFrom } from '../recordings/replay-from.ts';
import { assertLogHere } from './beside-a-node.ts';
import { settingsFrom } from '../config/environment.ts';
import { inEnglish, shownTo } from '../words/say.ts';

/** Folds the log again and compares; beside a running service the service does it. */
export async function replay(options: {
  check: boolean;
  recording?: string | undefined;
  /** Instead of folding: processes the recording again from this stage on. */
  from?: string | undefined;
  /** A copy of a data directory, for a rehearsal with this release; never the service's own. */
  data?: string | undefined;
  json: boolean;
}): Promise<void> {
  const { recording, from, json } = options;
  if (from !== undefined && recording !== undefined && !options.check) {
    await replayRecording({ recording, from, json });
    return;
  }
  if (!options.check || from !== undefined) {
    console.error(
      'Choose what to do: --check compares states and documents with the recorded ones; ' +
        '--recording ID --from STEP processes a recording again.',
    );
    process.exitCode = 2;
    return;
  }
  const check =
    options.data === undefined
      ? await checkOwn(options.recording)
      : await checkAlone(dataFolder(options.data), options.recording);
  if (options.json)
    console.log(JSON.stringify({ ...check, differences: check.differences.map(differenceAnswer) }));
  else report(check);
  if (check.differences.length > 0) process.exitCode = 1;
}

const checkAlone = (data: DataFolder, recording: string | undefined): Promise<LogCheck> =>
  withLogAlone(data, ({ store }) => checkLog(store, recording));

async function checkOwn(recording: string | undefined): Promise<LogCheck> {
  const host = hostFrom(process.env);
  const { data } = host;
  const asked = await askService<LogCheck>(data.controlSocket, 'replay-check', recording ?? null);
  if (asked !== null) return asked;
  assertLogHere(host);
  return await checkAlone(data, recording);
}

function report(check: LogCheck): void {
  for (const one of check.differences) {
    const { recording_id, version, difference } = differenceAnswer(one);
    console.log(`${recording_id}, event ${version}: ${difference}`);
  }
  const { erased, notCompared } = check;
  const why = [
    erased > 0 && `${erased} erased or unreadable`,
    notCompared > erased &&
      `${notCompared - erased} written by another version, whose documents look different`,
  ].filter(Boolean);
  console.log(
    `${check.facts} events, ${check.recordings} recordings; documents of ${check.documents} compared, ` +
      `of ${notCompared} not compared${why.length > 0 ? ` (${why.join(', ')})` : ''}; ` +
      `${check.differences.length} differences`,
  );
  if (check.documents === 0 && notCompared > 0) {
    console.log('No documents were compared, only states.');
  }
}

/** A difference in English, and its code. A server of an earlier release, which goes on after an update, answers in words. */
function differenceAnswer(one: LogCheck['differences'][number] | EarlierDifference) {
  if ('difference' in one) return one;
  const { said, ...where } = one;
  return {
    ...where,
    difference: inEnglish(said),
    ...shownTo('administrators', said),
  };
}
type EarlierDifference = { recording_id: string; version: number; difference: string };

/** Processes a recording again from a stage on; beside a running service the service does it. */
async function replayRecording(options: {
  recording: string;
  from: string;
  json: boolean;
}): Promise<void> {
  const { recording, from } = options;
  const { data } = hostFrom(process.env);
  const asked = askService<Replayed>(data.controlSocket, 'replay-from', { recording, from });
  const replayed = (await asked) ?? (await replayAlone(recording, from));
  if (options.json) console.log(JSON.stringify(replayed));
  else if (replayed.error !== null) console.error(replayed.error);
  else console.log(`${replayed.state}, version ${replayed.version}`);
  if (replayed.error !== null) process.exitCode = 1;
}

async function replayAlone(recording: string, from: string): Promise<Replayed> {
  const host = hostFrom(process.env);
  assertLogHere(host);
  const { data, logLevel } = host;
  await assertOwnLog(data);
  const log = openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] ? logLevel : 'silent');
  const fromEnvironment = settingsFrom(process.env);
  let settings = () => fromEnvironment;
  // Other unfinished recordings are left for the service to go on with.
  const pipeline = await openPipeline({ data, settings: () => settings(), log });
  try {
    const { store } = pipeline;
    const openSecrets = async () => await openSecretStore(await openSecretsFile(data.secrets));
    const config = await openConfig({
      store,
      openSecrets,
      env: process.env,
      data,
      log,
    });
    settings = () => config.settings();
    await pipeline.projections.ready();
    return await replayFrom(pipeline, recording, from);
  } finally {
    await pipeline.close();
  }
}
