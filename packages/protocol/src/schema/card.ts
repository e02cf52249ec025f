import { z } from 'zod';
import type { AgentCard, AgentSkill, SecurityRequirement, SecurityScheme } from '../model.ts';
import { jsonObjectSchema } from './task.ts';

const text = z.string();
const texts = z.array(z.string());
const filled = z.array(z.string()).min(1);

const requirementSchema: z.ZodType<SecurityRequirement> = z.strictObject({
  schemes: z.record(text, z.strictObject({ list: texts.exactOptional() })),
});

const flow = {
  refreshUrl: text.exactOptional(),
  scopes: z.record(text, text),
};
const flowsSchema = z.union([
  z.strictObject({
    authorizationCode: z.strictObject({
      ...flow,
      authorizationUrl: text,
      tokenUrl: text,
      pkceRequired: z.boolean().exactOptional(),
    }),
  }),
  z.strictObject({ clientCredentials: z.strictObject({ ...flow, tokenUrl: text }) }),
  z.strictObject({ implicit: z.strictObject({ ...flow, authorizationUrl: text }) }),
  z.strictObject({ password: z.strictObject({ ...flow, tokenUrl: text }) }),
  z.strictObject({ deviceCode: z.strictObject({ ...flow, deviceAuthorizationUrl: text, tokenUrl: text }) }),
]);

const description = text.exactOptional();

export const securitySchemeSchema: z.ZodType<SecurityScheme> = z.union([
  z.strictObject({
    apiKeySecurityScheme: z.strictObject({
      description,
      location: z.enum(['query', 'header', 'cookie']),
      name: text,
    }),
  }),
  z.strictObject({
    httpAuthSecurityScheme: z.strictObject({ description, scheme: text, bearerFormat: text.exactOptional() }),
  }),
  z.strictObject({
    oauth2SecurityScheme: z.strictObject({
      description,
      flows: flowsSchema,
      oauth2MetadataUrl: text.exactOptional(),
    }),
  }),
  z.strictObject({ openIdConnectSecurityScheme: z.strictObject({ description, openIdConnectUrl: text }) }),
  z.strictObject({ mtlsSecurityScheme: z.strictObject({ description }) }),
]);

const skillSchema: z.ZodType<AgentSkill> = z.strictObject({
  id: text.min(1),
  name: text,
  description: text,
  tags: texts,
  examples: filled.exactOptional(),
  inputModes: filled.exactOptional(),
  outputModes: filled.exactOptional(),
  securityRequirements: z.array(requirementSchema).min(1).exactOptional(),
});

/** The pure 1.0 form (a2a.proto AgentCard). */
export const agentCardSchema: z.ZodType<AgentCard> = z.strictObject({
  name: text,
  description: text,
  supportedInterfaces: z
    .array(
      z.strictObject({
        url: text.min(1),
        protocolBinding: text.min(1),
        tenant: text.exactOptional(),
        protocolVersion: text.regex(/^\d+\.\d+$/),
      }),
    )
    .min(1),
  provider: z.strictObject({ url: text, organization: text }).exactOptional(),
  version: text,
  documentationUrl: text.exactOptional(),
  capabilities: z.strictObject({
    streaming: z.boolean().exactOptional(),
    pushNotifications: z.boolean().exactOptional(),
    extensions: z
      .array(
        z.strictObject({
          uri: text.min(1),
          description,
          required: z.boolean().exactOptional(),
          params: jsonObjectSchema.exactOptional(),
        }),
      )
      .min(1)
      .exactOptional(),
    extendedAgentCard: z.boolean().exactOptional(),
  }),
  securitySchemes: z.record(text, securitySchemeSchema).exactOptional(),
  securityRequirements: z.array(requirementSchema).min(1).exactOptional(),
  defaultInputModes: filled,
  defaultOutputModes: filled,
  skills: z.array(skillSchema).min(1),
  signatures: z
    .array(z.strictObject({ protected: text, signature: text, header: jsonObjectSchema.exactOptional() }))
    .min(1)
    .exactOptional(),
  iconUrl: text.exactOptional(),
});
