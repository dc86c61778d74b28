import { openLogOf } from '../../src/service/open-log.ts';
import type { Pipeline } from '../../src/service/pipeline.ts';
import { openPipeline, pipelineOver } from '../../src/service/pipeline.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { storeVariables } from './test-store.ts';

/**
 * Everything over one data directory, on the store of this run. On PostgreSQL the directory is what the node has in
 * common with others; its models are looked for where the options say.
 */
export async function testPipeline(options: Parameters<typeof openPipeline>[0]): Promise<Pipeline> {
  const { cluster, data } = hostFrom(await storeVariables(options.data.root));
  if (cluster === null) return await openPipeline(options);
  const node = { ...data, models: options.data.models };
  const opened = await openLogOf({ host: { data: node, cluster }, log: options.log });
  return pipelineOver(opened, { ...options, data: node });
}
