import * as langchain from '@langchain/core/messages';

export type Json = null | boolean | number | string | Json[] | JsonRecord;
export type JsonRecord = { [key: string]: Json };

type MessageClass = new (fields: JsonRecord) => langchain.BaseMessage;

/**
 * How to make a value again and again, each time with nothing shared: from plain JSON, or a LangChain message from its
 * fields. A message is made in 0.4 µs, copied in 2.5, read from its text in 4, with LangChain's own loader in 33.
 */
export interface Recipe {
  Class: MessageClass | undefined;
  json: Json;
}

export function make({ Class, json }: Recipe): unknown {
  return Class ? new Class(clone(json) as JsonRecord) : clone(json);
}

/** Whether a value that was made by this recipe looks unchanged; of a message, not all is looked at. */
export function looksLike(value: object, { Class, json }: Recipe): boolean {
  if (!Class) return isCopy(value, json);
  const message = value as { content?: unknown; id?: unknown; tool_calls?: unknown };
  const { content, id, tool_calls } = json as JsonRecord;
  if (message.id !== id || !isCopy(message.content, content)) return false;
  return tool_calls === undefined || isCopy(message.tool_calls, tool_calls);
}

/** Whether a value would be written as what this recipe was read from; may be wrong about a `false`. */
export function equals(value: object, { Class, json }: Recipe): boolean {
  if (!Class) return isCopy(value, json);
  if (Object.getPrototypeOf(value) !== Class.prototype) return false;
  // LangChain writes of a message the fields that its lc_kwargs name.
  const message = value as Record<string, unknown>;
  let fields = 0;
  for (const key in message.lc_kwargs as object) {
    if (message[key] === undefined) continue;
    if (!isCopy(message[key], (json as JsonRecord)[key])) return false;
    fields += 1;
  }
  return fields === Object.keys(json as JsonRecord).length;
}

/** Thrown where a record stands for something that has no recipe. */
export const NO_RECIPE: unique symbol = Symbol('no recipe');

/** The recipe of a message as LangChain serialises it; made, it equals what LangChain's loader makes of the record. */
export function messageRecipe({ lc, type, id, kwargs }: JsonRecord): Recipe {
  if (lc !== 1 || type !== 'constructor' || !Array.isArray(id) || id.length !== 3) throw NO_RECIPE;
  if (id[0] !== 'langchain_core' || id[1] !== 'messages') throw NO_RECIPE;
  if (typeof kwargs !== 'object' || kwargs === null || Array.isArray(kwargs)) throw NO_RECIPE;
  const { Class, fieldOf } = classOf(String(id[2]));
  const json: JsonRecord = {};
  for (const key of Object.keys(kwargs)) {
    const value = kwargs[key] as Json;
    if (isUndefined(value)) continue;
    requirePlain(value);
    json[fieldOf(key)] = value;
  }
  return { Class, json };
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
  const left = value as Record<string, unknown>;
  const right = of as Record<string, unknown>;
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
    if (key === 'lc' || key === '__lc_escaped__') throw NO_RECIPE;
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
  const Class = (langchain as Record<string, unknown>)[name];
  if (typeof Class !== 'function' || !isMessageClass(Class)) throw NO_RECIPE;
  const aliases = aliasesOf(Class.prototype);
  const fields = new Map<string, string>();
  const added: KnownClass = {
    Class: Class as MessageClass,
    fieldOf: (key) => {
      let field = fields.get(key);
      if (field === undefined) {
        field = aliases.get(key) ?? camelCase(key);
        // Keys come from stored messages: they must not fill the memory.
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
