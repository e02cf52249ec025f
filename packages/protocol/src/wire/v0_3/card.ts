/** The agent card of A2A 0.3. */

import type {
  AgentCard,
  AgentInterface,
  AgentSkill,
  JsonObject,
  JsonValue,
  SecurityRequirement,
  SecurityScheme,
} from '../../model.ts';
import { isObject } from '../reader.ts';
import { asJson } from '../share.ts';
import { trimCard } from '../v1_0/card.ts';

const is0_3 = ({ protocolVersion }: AgentInterface): boolean => /^0\.3(\.|$)/.test(protocolVersion);
const isJsonRpc = ({ protocolBinding }: AgentInterface): boolean => protocolBinding === 'JSONRPC';

/** 0.3 has one `url`: that of its own JSON-RPC interface, else of any. */
function mainInterface(interfaces: AgentInterface[]): AgentInterface | undefined {
  return (
    interfaces.find((item) => is0_3(item) && isJsonRpc(item)) ?? interfaces.find(isJsonRpc) ?? interfaces[0]
  );
}

const SCHEME_TYPES: readonly (readonly [string, string])[] = [
  ['apiKeySecurityScheme', 'apiKey'],
  ['httpAuthSecurityScheme', 'http'],
  ['oauth2SecurityScheme', 'oauth2'],
  ['openIdConnectSecurityScheme', 'openIdConnect'],
  ['mtlsSecurityScheme', 'mutualTLS'],
];

const FLOWS_0_3 = new Set(['authorizationCode', 'clientCredentials', 'implicit', 'password']);

/** 0.3 knows neither the device flow nor `pkceRequired`. */
function encodeFlows(flows: JsonValue | undefined): JsonObject {
  if (!isObject(flows)) return {};
  const known = Object.entries(flows).filter(([name]) => FLOWS_0_3.has(name));
  return Object.fromEntries(
    known.map(([name, flow]) => {
      if (!isObject(flow)) return [name, {}];
      const { pkceRequired: _, ...rest } = flow as JsonObject;
      return [name, rest];
    }),
  );
}

/** The oneof key of 1.0 becomes `type`; a scheme of no known kind goes out as it is. */
function encodeScheme(scheme: SecurityScheme): JsonObject {
  for (const [key, type] of SCHEME_TYPES) {
    const inner = scheme[key];
    if (!isObject(inner)) continue;
    const { location, flows, ...rest } = inner as JsonObject;
    return {
      type,
      ...rest,
      ...(location === undefined ? {} : { in: location }),
      ...(type === 'oauth2' ? { flows: encodeFlows(flows) } : {}),
    };
  }
  return scheme;
}

function encodeSecurity(requirements: SecurityRequirement[]): JsonObject[] {
  return requirements.map(({ schemes }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list ?? []])),
  );
}

function encodeSkill({ securityRequirements, ...skill }: AgentSkill): JsonObject {
  return {
    ...(skill as unknown as JsonObject),
    ...(securityRequirements === undefined ? {} : { security: encodeSecurity(securityRequirements) }),
  };
}

/** Pure 0.3, without signatures: those cover the 1.0 form. */
export function encodeCard(card: AgentCard): JsonObject {
  const {
    supportedInterfaces,
    capabilities,
    securitySchemes,
    securityRequirements,
    skills,
    signatures: _,
    ...same
  } = trimCard(card);
  const main = mainInterface(supportedInterfaces);
  const others = supportedInterfaces.filter((item) => item !== main && is0_3(item));
  const { extendedAgentCard, ...capabilities0_3 } = capabilities;
  return {
    ...(asJson(same) as JsonObject),
    protocolVersion: '0.3.0',
    url: main?.url ?? '',
    preferredTransport: main?.protocolBinding ?? 'JSONRPC',
    ...(others.length === 0
      ? {}
      : {
          additionalInterfaces: others.map(({ url, protocolBinding }) => ({
            url,
            transport: protocolBinding,
          })),
        }),
    capabilities: asJson(capabilities0_3),
    ...(extendedAgentCard === undefined ? {} : { supportsAuthenticatedExtendedCard: extendedAgentCard }),
    ...(securitySchemes === undefined
      ? {}
      : {
          securitySchemes: Object.fromEntries(
            Object.entries(securitySchemes).map(([name, scheme]) => [name, encodeScheme(scheme)]),
          ),
        }),
    ...(securityRequirements === undefined ? {} : { security: encodeSecurity(securityRequirements) }),
    skills: skills.map(encodeSkill),
  };
}
