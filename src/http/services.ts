import type { Log as EventLog } from '../../events/level-log.ts';
import type { ProjectionStorage } from '../../projections/projection.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Captures } from '../capture/captures.ts';
import type { Config } from '../config/config.ts';
import type { ServiceHealth } from '../integrity/health.ts';
import type { Desktop } from '../documents/open-desktop.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';
import type { Settings } from '../settings.ts';
import type { SpaceLimit } from '../storage/space-limit.ts';
import type { Toggle } from '../trigger/toggle.ts';

export type { Caller, Peer } from '../accounts/accounts.ts';

/** Everything the routes need of the rest of the service; `main.ts` hands it in. */
export type HttpServices = {
  log: Log;
  /** Release of the service, as `GET /health` and `GET /status` say. */
  version: string;
  /** Address to listen on: one of the allowed hosts. */
  address: string;
  /** Absolute. Uploads are received below it (`uploads/`), documents are read from `spaces/`. */
  dataDir: string;
  /** Asked at every request, so that a changed setting counts at once. */
  settings(): Pick<
    Settings,
    | 'server.allowed_hosts'
    | 'server.trusted_proxies'
    | 'limits.upload_mb'
    | 'metrics.token'
    | 'ui.language'
    | 'notes.vault'
  >;
  config: Config;
  desk: RecordingsDesk;
  captures: Pick<
    Captures,
    'browser' | 'devices' | 'sources' | 'combine' | 'uncombine' | 'now' | 'onNow' | 'onWarnings'
  >;
  /** The one switch, also behind the hotkey and the tray. */
  toggle: Toggle;
  store: Pick<EventLog, 'read' | 'readAll' | 'head'>;
  /** Where projections keep their rows, and who keeps them up to date. */
  storage: ProjectionStorage;
  projections: Pick<
    ProjectionRunner,
    'applied' | 'assertRunning' | 'position' | 'onApplied' | 'states'
  >;
  accounts: Omit<Accounts, 'sweepSessions' | 'finishDeletions' | 'importUsers'>;
  metrics: Metrics;
  /** What may still come in by `limits.spaces_gb`. */
  space: Omit<SpaceLimit, 'start' | 'stop'>;
  /** Whether everything is as it was recorded, as far as it has been looked at. */
  health(): ServiceHealth;
  /** The desktop of this machine; the one that the process's environment speaks of, unless given. */
  desktop?: Desktop;
  /** @throws an error with code `unsupported-media` and a sentence for a person. */
  acceptsAudio(path: string, filename: string): Promise<unknown>;
};
