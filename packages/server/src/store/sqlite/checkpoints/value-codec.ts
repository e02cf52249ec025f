import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import type { StoredValue } from './rows.ts';

/** Between LangGraph's values and what the tables hold. */
export interface ValueCodec {
  /** `write`: a node returned the value and may have changed what it contains. */
  encode(channel: string, value: unknown, as: 'state' | 'write'): StoredValue;
  decode(stored: StoredValue): Promise<unknown>;
  dumpJson(value: unknown): string;
  loadJson(text: string): Promise<unknown>;
  /** Whatever was encoded last did not get stored. */
  forget(): void;
  deleteAll(): void;
}

class Serializer extends JsonPlusSerializer {
  dump(value: unknown): string {
    return Buffer.from(this._dumps(value)).toString();
  }
}

export function createValueCodec(): ValueCodec {
  const serializer = new Serializer();
  return {
    encode: (_channel, value) =>
      value instanceof Uint8Array
        ? { type: 'bytes', body: value, lists: null }
        : { type: 'json', body: serializer.dump(value), lists: null },
    decode: async ({ type, body }) => serializer.loadsTyped(type, body),
    dumpJson: (value) => serializer.dump(value),
    loadJson: async (text) => serializer.loadsTyped('json', text),
    forget: () => {},
    deleteAll: () => {},
  };
}
