import { dataFolder, hostFrom, type DataFolder } from '../host.ts';
import { withLogAlone } from '../integrity/open-alone.ts';
import { checkLog, type LogCheck } from '../recordings/check-log.ts';
import { askService } from './control.ts';
import { replayRecording } from './replay-from.ts';

/** Folds the log again and compares; beside a running service the service does it. */
export async function replay(options: {
  check: boolean;
  recording?: string;
  /** Instead of folding: processes the recording again from this stage on. */
  from?: string;
  /** A copy of a data directory, for a rehearsal with this release; never the service's own. */
  data?: string;
  json: boolean;
}): Promise<void> {
  const { recording, from, json } = options;
  if (from !== undefined && recording !== undefined && !options.check) {
    await replayRecording({ recording, from, json });
    return;
  }
  if (!options.check || from !== undefined) {
    console.error(
      'Say what to do: --check compares states and documents with what was recorded; ' +
        '--recording ID --from STAGE processes a recording again from there.',
    );
    process.exitCode = 2;
    return;
  }
  const check =
    options.data === undefined
      ? await checkOwn(options.recording)
      : await checkAlone(dataFolder(options.data), options.recording);
  if (options.json) console.log(JSON.stringify(check));
  else report(check);
  if (check.differences.length > 0) process.exitCode = 1;
}

async function checkOwn(recording: string | undefined): Promise<LogCheck> {
  const { data } = hostFrom(process.env);
  const asked = askService<LogCheck>(data.controlSocket, 'replay-check', recording ?? null);
  return (await asked) ?? (await checkAlone(data, recording));
}

const checkAlone = (data: DataFolder, recording: string | undefined): Promise<LogCheck> =>
  withLogAlone(data, ({ store }) => checkLog(store, recording));

function report(check: LogCheck): void {
  for (const { recording_id, version, difference } of check.differences) {
    console.log(`${recording_id}, fact ${version}: ${difference}`);
  }
  console.log(
    `${check.facts} facts, ${check.recordings} recordings, ${check.documents} with documents ` +
      `compared, ${check.notCompared} not compared: ${check.differences.length} differences`,
  );
}
