const CONTENT = ['text', 'data', 'raw', 'url'];
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'expected a string');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'expected true or false');
const object: Check = (value) => (isObject(value) ? undefined : 'expected an object');
const base64: Check = (value) =>
  typeof value === 'string' && BASE64.test(value) ? undefined : 'expected base64';
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : 'expected a list of strings';

const PART: { [name: string]: Check } = {
  text,
  data: () => undefined,
  raw: base64,
  url: text,
  filename: text,
  mediaType: text,
  metadata: object,
};
const SAID: { [name: string]: Check } = { parts: () => undefined, metadata: object, extensions: texts };
const ARTIFACT: { [name: string]: Check } = {
  ...SAID,
  artifactId: text,
  name: text,
  description: text,
  append: flag,
  lastChunk: flag,
};

/** Throws `TypeError` for what is no artifact of A2A, naming the member: `turn.artifact: parts[0].raw: expected base64`. */
export function assertArtifact(artifact: unknown): void {
  assertMembers('turn.artifact', artifact, ARTIFACT);
}

/** The same for what a message says. `act`: the method of the turn. */
export function assertSaid(act: string, said: unknown): void {
  assertMembers(`turn.${act}`, said, SAID);
}

function assertMembers(act: string, value: unknown, members: { [name: string]: Check }): void {
  const problem = isObject(value) ? problemIn(value, members) : 'expected an object with parts';
  if (problem !== undefined) throw new TypeError(`${act}: ${problem}`);
  const { parts } = value as { parts?: unknown };
  if (!Array.isArray(parts) || parts.length === 0)
    throw new TypeError(`${act}: parts: expected at least one part`);
  for (const [index, part] of parts.entries()) {
    const wrong = partProblem(part);
    if (wrong !== undefined) throw new TypeError(`${act}: parts[${index}]${wrong}`);
  }
}

function partProblem(part: unknown): string | undefined {
  if (!isObject(part)) return ': expected an object with text, data, raw or url';
  const problem = problemIn(part, PART);
  if (problem !== undefined) return `.${problem}`;
  const content = CONTENT.filter((name) => part[name] !== undefined);
  return content.length === 1 ? undefined : ': expected one of text, data, raw and url';
}

function problemIn(
  value: { [name: string]: unknown },
  members: { [name: string]: Check },
): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const check = Object.hasOwn(members, name) ? members[name] : undefined;
    const problem = check ? check(member) : `is none of ${Object.keys(members).join(', ')}`;
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
