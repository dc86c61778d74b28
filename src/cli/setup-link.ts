import { askService } from '../service/control/socket.ts';
import { hostFrom } from '../shared/data-directory.ts';

/**
 * `mitschrift setup-link`: where the first administrator is created.
 * @throws {Error} no service runs with this data directory, or there is an administrator already
 */
export async function printSetupLink(): Promise<void> {
  const { controlSocket, root } = hostFrom(process.env).data;
  const answer = await askService<{ link: string | null }>(controlSocket, 'setup-link');
  if (answer === null) {
    throw new Error(
      `Mitschrift isn’t running with the data directory ${root}. Start it, or set MITSCHRIFT_DATA to its data directory.`,
    );
  }
  if (answer.link === null) throw new Error('Mitschrift is already set up. Log in instead.');
  console.log(answer.link);
}
