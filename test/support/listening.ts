import { createApp } from '../../src/http/app.ts';
import { listen, type RunningServer } from '../../src/http/server.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { createStartingApp } from '../../src/http/starting.ts';
import { openSockets } from '../../src/http/feed/upgrade.ts';

/** Serves services over HTTP and WebSocket on a free loopback port. */
export async function listening(
  services: HttpServices,
  times: Omit<Parameters<typeof listen>[1], 'address' | 'port'> = {},
): Promise<RunningServer> {
  const starting = createStartingApp(services);
  const server = await listen(starting, { address: services.address, port: 0, ...times });
  await server.serve(createApp(services), openSockets(services), services);
  return server;
}
