import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { SaidError } from '../shared/errors.ts';
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The desktop of the person at this machine: what the service may open there. */
export interface Desktop {
  /** Opens the file manager with these files (absolute paths) selected. @throws {NoDesktop} */
  showFiles(paths: readonly string[]): Promise<void>;
  /** Opens a URI by the program that is registered for its scheme. @throws {NoDesktop} */
  openUri(uri: string): Promise<void>;
}

/** There is no desktop here, or nothing on it that does this. HTTP answers 503 with the sentence. */
export class NoDesktop extends SaidError<'NO_DESKTOP'> {
  override name = 'NoDesktop';
  constructor(said: Sentence) {
    super('NO_DESKTOP', said);
  }
}

/** A launched program that has not ended by then is taken for running. */
const waitMs = 5000;

/**
 * The desktop that an environment and a platform speak of. Programs are started without a shell, with
 * nothing of the environment but what a desktop needs, and live on when the service ends.
 */
export function openDesktop(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Desktop {
  const clean = desktopEnvironment(env);
  const tryEach = async (commands: readonly Command[]): Promise<void> => {
    const reasons: Sentence[] = [];
    for (const command of commands) {
      const reason = await launch(command, clean);
      if (reason === null) return;
      reasons.push(reason);
    }
    throw new NoDesktop(detail('no-program-to-open', { reasons }));
  };
  const session = (): void => {
    if (platform !== 'linux' || env['DISPLAY'] || env['WAYLAND_DISPLAY']) return;
    throw new NoDesktop(detail('no-desktop-session'));
  };
  return {
    async showFiles(paths) {
      session();
      await tryEach(filesShown(paths, platform));
    },
    async openUri(uri) {
      session();
      await tryEach([uriOpened(uri, platform)]);
    },
  };
}

type Command = {
  program: string;
  args: string[];
  /** Windows: the arguments are one line already, and the exit code says nothing. */
  verbatim?: boolean;
};

/** What to try, in this order. */
function filesShown(paths: readonly string[], platform: NodeJS.Platform): Command[] {
  if (platform === 'darwin') return [{ program: 'open', args: ['-R', ...paths] }];
  if (platform === 'win32') {
    // Explorer selects one file. A quotation mark is in no Windows path.
    return [{ program: 'explorer.exe', args: [`/select,"${paths[0]}"`], verbatim: true }];
  }
  // https://www.freedesktop.org/wiki/Specifications/file-manager-interface/
  const name = 'org.freedesktop.FileManager1';
  const object = '/org/freedesktop/FileManager1';
  const uris = paths.map(fileUri);
  const list = `[${uris.map((uri) => `'${uri}'`).join(', ')}]`;
  const to = ['--dest', name, '--object-path', object, '--method', `${name}.ShowItems`];
  const call = ['--session', '--print-reply', '--reply-timeout=5000', `--dest=${name}`, object];
  const items = [`${name}.ShowItems`, `array:string:${uris.join(',')}`, 'string:'];
  return [
    { program: 'gdbus', args: ['call', '--session', '--timeout', '5', ...to, list, "''"] },
    { program: 'dbus-send', args: [...call, ...items] },
    { program: 'xdg-open', args: [dirname(paths[0]!)] },
  ];
}

function uriOpened(uri: string, platform: NodeJS.Platform): Command {
  if (platform === 'darwin') return { program: 'open', args: [uri] };
  if (platform !== 'win32') return { program: 'xdg-open', args: [uri] };
  return { program: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', uri] };
}

/** Without the two characters that end a string for `gdbus` and an item for `dbus-send`. */
const fileUri = (path: string): string =>
  pathToFileURL(path).href.replaceAll("'", '%27').replaceAll(',', '%2C');

/** Null when it was launched, else why not. */
function launch(
  { program, args, verbatim = false }: Command,
  env: NodeJS.ProcessEnv,
): Promise<Sentence | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      stdio: 'ignore',
      detached: true,
      windowsVerbatimArguments: verbatim,
    });
    const timer = setTimeout(() => resolve(null), waitMs);
    const failed = (how: string) => detail('program-failed', { program, how });
    const end = (reason: Sentence | null) => {
      clearTimeout(timer);
      resolve(reason);
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      end(
        error.code === 'ENOENT'
          ? detail('program-not-installed', { program })
          : failed(String(error.code)),
      ),
    );
    child.once('exit', (code) => {
      end(code === 0 || verbatim ? null : failed(String(code ?? 'signal')));
    });
    child.unref();
  });
}

/** A file manager must not get the service's settings and secrets. */
function desktopEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

const needed =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+|DESKTOP_SESSION|GNOME_\w+|KDE_\w+|SystemRoot|SystemDrive|windir|USERPROFILE|APPDATA|LOCALAPPDATA|TEMP|TMP|PATHEXT|COMSPEC)$/i;
