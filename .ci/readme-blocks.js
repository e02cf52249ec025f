// Writes the README's code blocks for the named files: the block that follows the first mention of `name`.
import { readFileSync, writeFileSync } from 'node:fs';

const [, , readme, ...names] = process.argv;
const text = readFileSync(readme, 'utf8');
for (const name of names) {
  const from = text.indexOf(`\n\`${name}\`,`);
  const block = /```\w+\n([\s\S]*?)```/.exec(text.slice(from));
  if (from < 0 || !block) throw new Error(`README.md has no block for ${name}`);
  writeFileSync(name, block[1]);
}
