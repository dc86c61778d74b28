/** One thing that is wrong with an update: the key it is about, and a sentence. */
export type ConfigFault = { path: string; message: string };

export type ConfigErrorCode = 'CONFIG_INVALID' | 'CONFIG_OVERRIDDEN' | 'SECRETS_DAMAGED';

/** Why the configuration could not be changed, or opened. Nothing was changed. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly code: ConfigErrorCode;
  readonly faults: readonly ConfigFault[];
  constructor(
    code: ConfigErrorCode,
    message: string,
    options: { faults?: readonly ConfigFault[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.faults = options.faults ?? [];
  }
}
