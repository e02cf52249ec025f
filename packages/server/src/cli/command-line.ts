/** How this program is called where it runs: through npx unless it is on the PATH. */
function programName(env: NodeJS.ProcessEnv): string {
  return env.npm_config_user_agent === undefined ? 'parley' : 'npx parley';
}

/** A command to copy into a POSIX shell. */
export function commandLine(env: NodeJS.ProcessEnv, ...words: string[]): string {
  return [programName(env), ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
