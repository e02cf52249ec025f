/** A configuration that cannot be served; names the file, the key and what is expected there. Never crosses the wire. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'PARLEY_CONFIG';
  readonly file: string;
  readonly key: string;

  constructor(file: string, key: string, problem: string, cause?: unknown) {
    super(`${file}: ${key === '' ? '' : `${key}: `}${problem}`, cause === undefined ? {} : { cause });
    this.file = file;
    this.key = key;
  }
}
