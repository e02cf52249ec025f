import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Agents, serveAgents } from './agents.ts';
import { topics } from './checks/index.ts';
import { expectedFailures } from './expected-failures.ts';
import { judge } from './judge.ts';
import { requirements } from './list/index.ts';
import { createPeer } from './peer.ts';
import { type Requirement, VERSIONS, type Version } from './requirement.ts';
import { wireV0_3 } from './wires/v0_3.ts';
import { wireV1_0 } from './wires/v1_0.ts';

let agents: Agents;
beforeAll(async () => {
  agents = await serveAgents();
});
afterAll(() => agents.close());
afterEach(() => agents.gates.open('pause'));

const checks = new Map(topics.flatMap((topic) => Object.entries(topic)));
const wires = { '1.0': wireV1_0, '0.3': wireV0_3 };
const versionsOf = ({ on = VERSIONS, later }: Requirement): readonly Version[] => (later ? [] : on);

describe.each(VERSIONS)('over JSON-RPC, A2A %s', (version) => {
  for (const requirement of requirements.filter((one) => versionsOf(one).includes(version))) {
    const { id, level, sentence } = requirement;
    it(`${id} (${level}): ${sentence}`, async () => {
      const check = checks.get(id);
      if (!check) throw new Error(`nothing checks ${id}`);
      const expected = expectedFailures.find((one) => one.id === id && one.on.includes(version));
      await judge(check, createPeer(agents, wires[version]), expected);
    });
  }
});

describe('the list', () => {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));

  it('names each requirement once', () => {
    expect(requirements.map(({ id }) => id)).toEqual([...byId.keys()]);
  });

  it('has every requirement that is checked, and no check for one of a later day', () => {
    expect(topics.flatMap((topic) => Object.keys(topic))).toEqual([...checks.keys()]);
    for (const id of checks.keys()) expect(byId.get(id), id).not.toHaveProperty('later');
  });

  it('says why, where nothing is checked yet', () => {
    for (const { id, later } of requirements) expect(later === undefined || later.length > 10, id).toBe(true);
  });

  it('expects failures of what is checked, with a reason', () => {
    for (const { id, on, because } of expectedFailures) {
      const requirement = byId.get(id);
      expect(requirement, id).toBeDefined();
      expect(on.length).toBeGreaterThan(0);
      for (const version of on) expect(requirement && versionsOf(requirement), id).toContain(version);
      expect(because).toMatch(/\w+ \w+/);
    }
  });
});

describe('an expected failure', () => {
  const expected = { id: 'X-001', on: ['1.0'], because: 'it is not built' };
  const peer = (): ReturnType<typeof createPeer> => createPeer(agents, wireV1_0);

  it('may fail', async () => {
    await judge(() => Promise.reject(new Error('no')), peer(), expected);
  });

  it('that holds fails the run', async () => {
    const judged = judge(() => Promise.resolve(), peer(), expected);
    await expect(judged).rejects.toThrow('X-001 holds on 1.0: take it off the expected failures');
  });

  it('fails the run where none is expected', async () => {
    await expect(judge(() => Promise.reject(new Error('no')), peer(), undefined)).rejects.toThrow('no');
  });
});
