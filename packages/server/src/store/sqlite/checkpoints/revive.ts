import * as langchain from '@langchain/core/messages';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: unknown };
type MessageClass = new (fields: Fields) => langchain.BaseMessage;

/**
 * How to make a value again and again, each time with nothing shared. `make` of a message takes 0.6 µs, a deep copy of
 * one 2.5, reading its text 4, LangChain's own loader 33.
 */
export interface Recipe {
  make(): unknown;
  /** Whether a value that this recipe made looks unchanged; not all of a message is looked at. */
  looksLike(value: unknown): boolean;
  /** Whether a value is equal to what this recipe makes. */
  equals(value: unknown): boolean;
}

/** The serializer of LangGraph's savers, and a faster way to read what it writes most. */
export interface Texts {
  write(value: unknown): string;
  /** Equal to what LangGraph's serializer would return. */
  read(text: string): Promise<unknown>;
  /** `undefined`: the text is neither plain JSON nor a LangChain message made of it. */
  recipe(text: string): Recipe | undefined;
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
      const json = JSON.parse(text) as Json;
      if (!mentionsRecords(text)) return json;
      const value = orNotSimple(() => revive(json));
      return value === NOT_SIMPLE ? serializer.loadsTyped('json', text) : value;
    },
    recipe: (text) => {
      const json = JSON.parse(text) as Json;
      if (!mentionsRecords(text)) return plainRecipe(json);
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
      const recipe = orNotSimple(() => messageRecipe(json));
      return recipe === NOT_SIMPLE ? undefined : recipe;
    },
  };
}

/** Every record that stands for something else than itself has a key `lc`. */
function mentionsRecords(text: string): boolean {
  return text.includes('"lc":');
}

const NOT_SIMPLE = Symbol('not simple');

function orNotSimple<T>(body: () => T): T | typeof NOT_SIMPLE {
  try {
    return body();
  } catch (error) {
    if (error === NOT_SIMPLE) return NOT_SIMPLE;
    throw error;
  }
}

function revive(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(revive);
  if (Object.hasOwn(json, 'lc')) return messageRecipe(json).make();
  const object: Fields = {};
  for (const key of Object.keys(json)) object[key] = revive(json[key] as Json);
  return object;
}

function plainRecipe(json: Json): Recipe {
  const equals = (value: unknown): boolean => isCopy(value, json);
  return { make: () => clone(json), looksLike: equals, equals };
}

function messageRecipe({ lc, type, id, kwargs }: { [key: string]: Json }): Recipe {
  if (lc !== 1 || type !== 'constructor' || !Array.isArray(id) || id.length !== 3) throw NOT_SIMPLE;
  if (id[0] !== 'langchain_core' || id[1] !== 'messages') throw NOT_SIMPLE;
  if (typeof kwargs !== 'object' || kwargs === null || Array.isArray(kwargs)) throw NOT_SIMPLE;
  const { Class, fieldOf } = classOf(String(id[2]));
  const fields: { [key: string]: Json } = {};
  for (const key of Object.keys(kwargs)) {
    const value = kwargs[key] as Json;
    if (isUndefined(value)) continue;
    requirePlain(value);
    fields[fieldOf(key)] = value;
  }
  const make = () => new Class(clone(fields) as Fields);
  return {
    make,
    equals: (value) => isCopy(value, make()),
    looksLike: (value) => {
      const message = value as { content?: unknown; id?: unknown; tool_calls?: unknown };
      if (message.id !== fields.id || !isCopy(message.content, fields.content)) return false;
      return fields.tool_calls === undefined || isCopy(message.tool_calls, fields.tool_calls);
    },
  };
}

function clone(json: Json): Json {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(clone);
  const copy = { ...json };
  for (const key in copy) {
    const value = copy[key];
    if (typeof value === 'object' && value !== null) copy[key] = clone(value);
  }
  return copy;
}

/** Deep equality of plain values and of objects of one class. */
function isCopy(value: unknown, of: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === of;
  if (typeof of !== 'object' || of === null) return false;
  if (Object.getPrototypeOf(value) !== Object.getPrototypeOf(of)) return false;
  const left = value as Fields;
  const right = of as Fields;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isCopy(left[key], right[key]));
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
