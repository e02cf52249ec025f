import { ConfigError } from '../../config/config-error.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Io } from '../io.ts';
import { databaseOf, type ServerOptionValues } from '../options.ts';
import { createOut, type Style } from '../out.ts';
import { checkCard } from './check-card.ts';
import { checkDatabase } from './check-database.ts';
import { checkGraphs, checkStore } from './check-graphs.ts';
import { checkVersions } from './check-versions.ts';
import { type Finding, findingsOf } from './finding.ts';

export interface DoctorOptions extends ServerOptionValues {
  /** Seconds. */
  timeout: number;
  json: boolean;
}

const STYLES: { [level in Finding['level']]: Style } = { ok: 'green', warning: 'yellow', problem: 'red' };

/** Tells every finding. Warnings alone are no failure: a project may have its reasons. */
export async function examine(options: DoctorOptions, io: Io): Promise<ExitCode> {
  const out = createOut(io, { json: options.json });
  const findings: Finding[] = [];
  const tell = (told: readonly Finding[]): void => {
    findings.push(...told);
    if (out.json) return;
    for (const { check, level, message, remedy } of told) {
      out.line(`${level.padEnd(7)}  ${check}: ${message}`, STYLES[level]);
      if (remedy !== undefined) out.line(`           ${remedy}`);
    }
  };
  const timeoutMs = options.timeout * 1_000;

  const { config, finding, unreadable } = readConfig(options.config);
  tell([finding]);
  tell(checkVersions(config));
  if (config) tell(await checkGraphs(config, timeoutMs));
  if (config) tell(await checkStore(config, timeoutMs));
  const database = await checkDatabase(databaseOf(options));
  tell(database.findings);
  if (config) tell(await checkCard(config, options, { timeoutMs, serverRuns: database.inUse }));

  const problems = findings.filter(({ level }) => level === 'problem').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (out.json) out.value({ ok: problems === 0, findings });
  else out.line(`${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`, 'bold');
  if (unreadable) return EXIT.usage;
  return problems === 0 ? EXIT.ok : EXIT.failed;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function readConfig(file: string): { config?: Config; finding: Finding; unreadable: boolean } {
  const { ok, problem } = findingsOf('config');
  try {
    const config = loadConfig(file);
    const graphs = counted(Object.keys(config.graphs).length, 'graph');
    return { config, finding: ok(`${config.file}: ${graphs}`), unreadable: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy =
      error.key === ''
        ? 'name a langgraph.json with --config, and see that it is JSON'
        : `mend the key ${error.key}; docs/configuration.md has all of them`;
    return { finding: problem(error.message, remedy), unreadable: error.key === '' };
  }
}
