import { expect, it } from 'vitest';
import * as protocol from './index.ts';
import * as v0_3 from './wire/v0_3/index.ts';
import * as v1_0 from './wire/v1_0/index.ts';

it('exports these values and no others', () => {
  expect(Object.keys(protocol).sort()).toMatchInlineSnapshot(`
    [
      "A2AError",
      "DEFAULT_DECODE_LIMITS",
      "ERROR_DOMAIN",
      "ERROR_KINDS",
      "ERROR_TABLE",
      "EXTENSION_HEADERS",
      "PROTOCOL_VERSIONS",
      "ProtocolMisuseError",
      "TASK_STATES",
      "VERSION_HEADER",
      "agentCardSchema",
      "agreeVersion",
      "appendParts",
      "applyEvent",
      "artifactSchema",
      "artifactUpdateSchema",
      "createFold",
      "createSseParser",
      "endsStream",
      "errorDetails",
      "errorEnvelope",
      "errorEnvelopeSchema",
      "exceedsDepth",
      "formatTimestamp",
      "internalError",
      "invalidParams",
      "isA2AError",
      "isInterrupted",
      "isStop",
      "isTerminal",
      "jsonObjectSchema",
      "jsonValueSchema",
      "listTasksResponseSchema",
      "mergedCard",
      "messageSchema",
      "normaliseBase64",
      "parseRequest",
      "parseSse",
      "parseTimestamp",
      "parseVersion",
      "partSchema",
      "pushConfigSchema",
      "readExtensions",
      "resultEnvelope",
      "sameJson",
      "securitySchemeSchema",
      "sendMessageResponseSchema",
      "sseEvent",
      "ssePing",
      "sseRetry",
      "statusUpdateSchema",
      "streamResponseSchema",
      "taskSchema",
      "taskStateSchema",
      "taskStatusSchema",
      "timestampSchema",
    ]
  `);
  expect(Object.keys(v1_0).sort()).toEqual(['codec', 'decodeMessage', 'decodePart']);
  expect(Object.keys(v0_3).sort()).toEqual(['codec']);
});
