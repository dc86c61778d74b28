import { openFileKeys } from '../../events/file-keys.ts';
import { openLog } from '../../events/level-log.ts';
import { hostFrom } from '../host.ts';
import { checkLog, type LogCheck } from '../recordings/check-log.ts';
import { askService } from './control.ts';

/** Folds the log again and compares; beside a running service the service does it. */
export async function replay(options: {
  check: boolean;
  recording?: string;
  json: boolean;
}): Promise<void> {
  if (!options.check) {
    console.error('Say what to do: --check compares states and documents with what was recorded.');
    process.exitCode = 2;
    return;
  }
  const { data } = hostFrom(process.env);
  const check =
    (await askService<LogCheck>(data.controlSocket, 'replay-check', options.recording ?? null)) ??
    (await checkAlone(data, options.recording));
  if (options.json) console.log(JSON.stringify(check));
  else report(check);
  if (check.differences.length > 0) process.exitCode = 1;
}

async function checkAlone(
  data: ReturnType<typeof hostFrom>['data'],
  recording: string | undefined,
): Promise<LogCheck> {
  const store = await openLog({ directory: data.log, keys: await openFileKeys(data.keys) });
  try {
    return await checkLog(store, recording);
  } finally {
    await store.close();
  }
}

function report(check: LogCheck): void {
  for (const { recording_id, version, difference } of check.differences) {
    console.log(`${recording_id}, fact ${version}: ${difference}`);
  }
  console.log(
    `${check.facts} facts, ${check.recordings} recordings, ${check.documents} with documents ` +
      `compared, ${check.notCompared} not compared: ${check.differences.length} differences`,
  );
}
