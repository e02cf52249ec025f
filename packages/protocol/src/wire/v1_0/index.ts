import type { Message, Part } from '../../model.ts';
import { type Codec, DEFAULT_DECODE_LIMITS, type DecodeLimits } from '../codec.ts';
import { readParams } from '../reader.ts';
import { encodeCard } from './card.ts';
import { encodeError } from './errors.ts';
import { methods } from './methods.ts';
import { readMessage, readPart } from './request.ts';
import { encodeEvent } from './response.ts';

const v1_0: Codec = { version: '1.0', methods, encodeEvent, encodeError, encodeCard };

/** A2A 1.0 over JSON. */
export function codec(): Codec {
  return v1_0;
}

/** A part of unknown origin, such as one that a graph made. Throws `invalid-params`; paths start at the part. */
export function decodePart(part: unknown): Part {
  return readParams(part, readPart);
}

/** Throws `invalid-params`; paths start at the message. */
export function decodeMessage(message: unknown, limits: DecodeLimits = DEFAULT_DECODE_LIMITS): Message {
  return readParams(message, (at) => readMessage(at, limits));
}
