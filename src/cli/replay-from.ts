import { openConfig } from '../config/config.ts';
import { hostFrom } from '../host.ts';
import { openLogger } from '../log.ts';
import { openPipeline } from '../pipeline.ts';
import { replayFrom, type Replayed } from '../recordings/replay-from.ts';
import { settingsFrom } from '../settings.ts';
import { askService } from './control.ts';

/** Processes a recording again from a stage on; beside a running service the service does it. */
export async function replayRecording(options: {
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
  const { data, logLevel } = hostFrom(process.env);
  const log = openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] ? logLevel : 'silent');
  const fromEnvironment = settingsFrom(process.env);
  let settings = () => fromEnvironment;
  // Other unfinished recordings are left for the service to go on with.
  const pipeline = await openPipeline({ data, settings: () => settings(), log });
  try {
    const { store } = pipeline;
    const config = await openConfig({ store, secretsPath: data.secrets, env: process.env, log });
    settings = () => config.settings();
    await pipeline.projections.ready();
    return await replayFrom(pipeline, recording, from);
  } finally {
    await pipeline.close();
  }
}
