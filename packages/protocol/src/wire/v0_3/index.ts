import type { Codec } from '../codec.ts';
import { encodeCard } from './card.ts';
import { encodeError } from './errors.ts';
import { coreMethods, fullMethods } from './methods.ts';
import { encodeEvent } from './response.ts';

const shared = { version: '0.3', encodeEvent, encodeError, encodeCard } as const;
const coreCodec: Codec = { ...shared, methods: coreMethods };
const fullCodec: Codec = { ...shared, methods: fullMethods };

export interface CodecOptions {
  /** All methods of 0.3 instead of send, stream, get and cancel. */
  full?: boolean;
}

/** A2A 0.3 over JSON. */
export function codec({ full = false }: CodecOptions = {}): Codec {
  return full ? fullCodec : coreCodec;
}
