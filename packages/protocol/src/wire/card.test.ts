import { AgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { isLegacyAgentCard, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client';
import { DefaultAgentCardResolver as Resolver0_3 } from 'a2a-sdk-v0_3/client';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../test/arbitraries.ts';
import { card } from '../../test/fixtures.ts';
import { agentCardSchema } from '../schema/card.ts';
import { mergedCard } from './merged-card.ts';
import { codec as codec0_3 } from './v0_3/index.ts';
import { codec as codec1_0 } from './v1_0/index.ts';

deepFreeze(card);
const v1_0 = codec1_0().encodeCard(card) as { [key: string]: unknown };
const v0_3 = codec0_3().encodeCard(card) as { [key: string]: unknown };
const merged = mergedCard(card) as { [key: string]: unknown };

describe('the 1.0 card', () => {
  it('passes the strict schema and the official reader', () => {
    expect(agentCardSchema.safeParse(v1_0).error).toBeUndefined();
    expect(v1_0).toEqual(card);
    expect(AgentCard.fromJSON(v1_0 as never)).toMatchObject({
      name: 'agent',
      supportedInterfaces: card.supportedInterfaces.map(({ url }) => ({ url })),
      securitySchemes: { bearer: { scheme: { $case: 'httpAuthSecurityScheme' } } },
    });
  });

  it('keeps required lists and drops empty optional ones', () => {
    const bare = codec1_0().encodeCard({
      ...card,
      skills: [{ id: 's', name: 's', description: '', tags: [], examples: [], inputModes: [] }],
      capabilities: { streaming: false, extensions: [] },
      securitySchemes: {},
      securityRequirements: [],
      signatures: [],
    }) as { [key: string]: unknown };
    expect(bare).toMatchObject({ capabilities: { streaming: false }, skills: [{ tags: [] }] });
    expect(agentCardSchema.safeParse(bare).error).toBeUndefined();
    for (const key of ['securitySchemes', 'securityRequirements', 'signatures'])
      expect(bare).not.toHaveProperty(key);
  });
});

describe('the 0.3 card', () => {
  it('has the fields of 0.3 and only those', () => {
    expect(v0_3).toEqual({
      name: 'agent',
      description: 'An agent',
      version: '1.2.3',
      protocolVersion: '0.3.0',
      url: 'https://h/a2a/as1/v03',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url: 'https://h/a2a/as1/rest03', transport: 'HTTP+JSON' }],
      provider: card.provider,
      documentationUrl: 'https://docs',
      iconUrl: 'https://icon',
      capabilities: { streaming: true, pushNotifications: false, extensions: card.capabilities.extensions },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        key: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'key' },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: 'https://a',
              tokenUrl: 'https://t',
              scopes: { read: 'Read' },
            },
          },
          oauth2MetadataUrl: 'https://m',
        },
        oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://oidc' },
        mtls: { type: 'mutualTLS', description: 'cert' },
      },
      security: [{ bearer: [] }, { oauth: ['read'] }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [
        {
          id: 's',
          name: 'Skill',
          description: 'does',
          tags: ['t'],
          examples: ['ex'],
          inputModes: ['text/plain'],
          security: [{ key: [] }],
        },
      ],
    });
  });

  it('is read by the official compatibility layer', () => {
    expect(isLegacyAgentCard(v0_3)).toBe(true);
    const read = parseLegacyAgentCard(v0_3);
    expect(read.supportedInterfaces[0]).toMatchObject({
      url: 'https://h/a2a/as1/v03',
      protocolBinding: 'JSONRPC',
    });
    expect(Object.values(read.securitySchemes).map(({ scheme }) => scheme?.$case)).toEqual([
      'httpAuthSecurityScheme',
      'apiKeySecurityScheme',
      'oauth2SecurityScheme',
      'openIdConnectSecurityScheme',
      'mtlsSecurityScheme',
    ]);
  });

  it('takes its url from any JSON-RPC interface when 0.3 is not listed', () => {
    const [first, rest] = card.supportedInterfaces;
    const other = codec0_3().encodeCard({
      ...card,
      supportedInterfaces: [rest, first] as typeof card.supportedInterfaces,
    });
    expect(other).toMatchObject({ url: 'https://h/a2a/as1', preferredTransport: 'JSONRPC' });
    expect(other).not.toHaveProperty('additionalInterfaces');
  });
});

describe('the merged card', () => {
  it('holds both cards, and schemes with type and oneof key; no signature', () => {
    const { signatures: _, securitySchemes: schemes1_0, skills: _skills, ...rest } = v1_0;
    expect(merged).toMatchObject(rest);
    const { capabilities: _capabilities, ...rest0_3 } = v0_3;
    expect(merged).toMatchObject(rest0_3);
    expect(merged.securitySchemes).toMatchObject(schemes1_0 as object);
    expect(merged.skills).toMatchObject([
      { security: [{ key: [] }], securityRequirements: [{ schemes: { key: {} } }] },
    ]);
    expect(merged).not.toHaveProperty('signatures');
  });

  it('is a 1.0 card to the official resolver', async () => {
    const fetchImpl = (async () => Response.json(merged)) as unknown as typeof fetch;
    for (const legacyCompat of [{ enabled: true }, { enabled: false }]) {
      const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
      const read = await resolver.resolve('https://h/a2a/as1/');
      expect(read.supportedInterfaces[0]).toMatchObject({ protocolVersion: '1.0', url: 'https://h/a2a/as1' });
    }
  });

  it('is a 0.3 card to the 0.3 resolver', async () => {
    const fetchImpl = (async () => Response.json(merged)) as unknown as typeof fetch;
    const read = await new Resolver0_3({ fetchImpl }).resolve('https://h/a2a/as1/');
    expect(read).toMatchObject({
      url: 'https://h/a2a/as1/v03',
      protocolVersion: '0.3.0',
      skills: [{ id: 's' }],
    });
    expect(read.securitySchemes?.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
  });
});
