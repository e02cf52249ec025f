import { z } from 'zod';
import type { FieldViolation } from '../errors.ts';
import type { JsonRpcId } from '../json-rpc.ts';

const idSchema: z.ZodType<JsonRpcId> = z.union([z.string(), z.int(), z.null()]);

export interface ErrorInfo {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
  reason: string;
  domain: 'a2a-protocol.org';
  metadata?: { [key: string]: string };
}

export interface BadRequest {
  '@type': 'type.googleapis.com/google.rpc.BadRequest';
  fieldViolations: FieldViolation[];
}

export interface ErrorEnvelope {
  jsonrpc: '2.0';
  id: JsonRpcId;
  error: { code: number; message: string; data?: (ErrorInfo | BadRequest)[] };
}

const errorInfo: z.ZodType<ErrorInfo> = z.strictObject({
  '@type': z.literal('type.googleapis.com/google.rpc.ErrorInfo'),
  reason: z.string().regex(/^[A-Z][A-Z0-9_]*[A-Z0-9]$/),
  domain: z.literal('a2a-protocol.org'),
  metadata: z.record(z.string(), z.string()).exactOptional(),
});

const badRequest: z.ZodType<BadRequest> = z.strictObject({
  '@type': z.literal('type.googleapis.com/google.rpc.BadRequest'),
  fieldViolations: z.array(z.strictObject({ field: z.string(), description: z.string().min(1) })).min(1),
});

/** A JSON-RPC error answer of A2A 1.0 (section 9.5). */
export const errorEnvelopeSchema: z.ZodType<ErrorEnvelope> = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: idSchema,
  error: z.strictObject({
    code: z.int(),
    message: z.string().min(1),
    data: z
      .array(z.union([errorInfo, badRequest]))
      .min(1)
      .exactOptional(),
  }),
});
