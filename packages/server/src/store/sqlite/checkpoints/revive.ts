import * as langchain from '@langchain/core/messages';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: unknown };
type MessageClass = new (fields: Fields) => langchain.BaseMessage;

/** The serializer of LangGraph's savers, and a faster way to read what it writes most. */
export interface Texts {
  write(value: unknown): string;
  /** Equal to what LangGraph's serializer would return. */
  read(text: string): Promise<unknown>;
  /** `undefined`: neither plain JSON nor a LangChain message made of it, `read` has to do it. */
  readSimple(text: string): { value: unknown } | undefined;
}

class Serializer extends JsonPlusSerializer {
  dump(value: unknown): string {
    return Buffer.from(this._dumps(value)).toString();
  }
}

export function createTexts(): Texts {
  const serializer = new Serializer();
  return {
    write: (value) => serializer.dump(value),
    read: async (text) => {
      const simple = readSimple(text);
      return simple ? simple.value : serializer.loadsTyped('json', text);
    },
    readSimple,
  };
}

function readSimple(text: string): { value: unknown } | undefined {
  const json = JSON.parse(text) as Json;
  // Every record that stands for something else than itself has a key `lc`.
  if (!text.includes('"lc":')) return { value: json };
  try {
    return { value: revive(json) };
  } catch (error) {
    if (error === NOT_SIMPLE) return undefined;
    throw error;
  }
}

const NOT_SIMPLE = new Error('not simple');

function revive(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(revive);
  if (Object.hasOwn(json, 'lc')) return message(json);
  const object: Fields = {};
  for (const key of Object.keys(json)) object[key] = revive(json[key] as Json);
  return object;
}

/** LangChain's loader needs 33 µs for a message, most of it to parse and walk it again; this needs 4. */
function message({ lc, type, id, kwargs }: { [key: string]: Json }): langchain.BaseMessage {
  if (lc !== 1 || type !== 'constructor' || !Array.isArray(id) || id.length !== 3) throw NOT_SIMPLE;
  if (id[0] !== 'langchain_core' || id[1] !== 'messages') throw NOT_SIMPLE;
  if (typeof kwargs !== 'object' || kwargs === null || Array.isArray(kwargs)) throw NOT_SIMPLE;
  const known = classOf(String(id[2]));
  const fields: Fields = {};
  for (const key of Object.keys(kwargs)) {
    const value = kwargs[key] as Json;
    if (isUndefined(value)) continue;
    requirePlain(value);
    fields[known.fieldOf(key)] = value;
  }
  return new known.Class(fields);
}

function isUndefined(value: Json): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    value.lc === 2 &&
    value.type === 'undefined'
  );
}

function requirePlain(value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) requirePlain(item);
    return;
  }
  for (const key in value) {
    if (key === 'lc' || key === '__lc_escaped__') throw NOT_SIMPLE;
    requirePlain(value[key] as Json);
  }
}

interface KnownClass {
  Class: MessageClass;
  fieldOf(key: string): string;
}

const classes = new Map<string, KnownClass>();

function classOf(name: string): KnownClass {
  const known = classes.get(name);
  if (known) return known;
  const Class = (langchain as Fields)[name];
  if (typeof Class !== 'function' || !isMessageClass(Class)) throw NOT_SIMPLE;
  const aliases = aliasesOf(Class.prototype);
  const fields = new Map<string, string>();
  const added: KnownClass = {
    Class: Class as MessageClass,
    fieldOf: (key) => {
      let field = fields.get(key);
      if (field === undefined) {
        field = aliases.get(key) ?? camelCase(key);
        // Keys come from stored messages: never let them fill the memory.
        if (fields.size < 100) fields.set(key, field);
      }
      return field;
    },
  };
  classes.set(name, added);
  return added;
}

/** By prototype: `instanceof BaseMessage` asks instances, not classes. */
function isMessageClass(Class: object & { prototype?: unknown }): boolean {
  return Object.prototype.isPrototypeOf.call(langchain.BaseMessage.prototype, Class.prototype as object);
}

/** As @langchain/core's `load` maps keys: by `lc_aliases` of the class and those above it, else to camel case. */
function aliasesOf(prototype: object): Map<string, string> {
  const aliases: Record<string, string> = {};
  let current: object | null = prototype;
  while (current && current !== Object.prototype) {
    Object.assign(aliases, Reflect.get(current, 'lc_aliases'));
    current = Object.getPrototypeOf(current) as object | null;
  }
  return new Map(Object.entries(aliases).map(([key, alias]) => [alias, key]));
}

function camelCase(key: string): string {
  const trimmed = key.trim();
  if (!/[-_\s]/.test(trimmed)) return trimmed;
  return trimmed
    .replace(/[-_\s]+/g, '_')
    .toLowerCase()
    .replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
