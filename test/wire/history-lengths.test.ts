import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, expectRefusal, type Fields, rpc, sendText, userMessage, userMessageV0_3 } from './rpc.ts';

/** Twelve messages in one context, more than `historyLength` may ask for. */
const TURNS = 6;
const contextId = 'long';
let served: Served;
let id = '';
const all: string[] = [];
beforeAll(async () => {
  served = await serve();
  for (let turn = 1; turn <= TURNS; turn++) {
    id = (await sendText(served, 'echo', `${turn}`, { contextId })).id;
    all.push(`${turn}`, `you said: ${turn}`);
  }
});
afterAll(() => served.close());

const length = (historyLength: number | undefined): Fields =>
  historyLength === undefined ? {} : { historyLength };
/** The newest are from another turn each time: a message makes two more. */
const READS: [string, (historyLength?: number) => Promise<Fields>][] = [
  ['GetTask', async (n) => (await rpc(served, 'echo', 'GetTask', { id, ...length(n) })).result],
  ['tasks/get', async (n) => (await rpc(served, 'echo', 'tasks/get', { id, ...length(n) })).result],
  [
    'ListTasks',
    async (n) =>
      (await rpc(served, 'echo', 'ListTasks', { contextId, pageSize: 1, ...length(n) })).result.tasks[0],
  ],
];
const SENDS: [string, (historyLength?: number) => Promise<Fields>][] = [
  ['SendMessage', async (n) => sendText(served, 'echo', 'next', { contextId }, length(n))],
  [
    'message/send',
    async (n) => {
      const message = userMessageV0_3('next', { contextId });
      return (await rpc(served, 'echo', 'message/send', { message, configuration: length(n) })).result;
    },
  ],
];
const texts = ({ history }: Fields): string[] | undefined =>
  history?.map(({ parts }: Fields) => parts[0].text);

describe.each([...READS, ...SENDS])('U24: the history of %s', (name, ask) => {
  const sends = SENDS.some(([method]) => method === name);
  it('is all of it where no length is named, the newest N where one is, and absent for 0', async () => {
    const expected = async (): Promise<string[]> => {
      if (sends) all.push('next', 'you said: next');
      return all;
    };
    expect(texts(await ask())).toEqual(await expected());
    expect(texts(await ask(1))).toEqual((await expected()).slice(-1));
    expect(texts(await ask(3))).toEqual((await expected()).slice(-3));
    expect(texts(await ask(10))).toEqual((await expected()).slice(-10));
    const none = await ask(0);
    await expected();
    expect(none).not.toHaveProperty('history');
    expect(none.status).toBeDefined();
  });
});

it.each([-1, 11])(
  'U24: the length %i is refused by every method, and nothing runs',
  async (historyLength) => {
    const { totalSize } = (await rpc(served, 'echo', 'ListTasks', {})).result;
    const configuration = { historyLength };
    for (const [method, params] of [
      ['GetTask', { id, historyLength }],
      ['ListTasks', { historyLength }],
      ['SendMessage', { message: userMessage('x'), configuration }],
    ] as const) {
      expectRefusal(await served.post('echo', call(method, params)), { code: -32602 });
    }
    for (const [method, params] of [
      ['tasks/get', { id, historyLength }],
      ['message/send', { message: userMessageV0_3('x'), configuration }],
    ] as const) {
      expect((await rpc(served, 'echo', method, params)).error?.code).toBe(-32602);
    }
    expect((await rpc(served, 'echo', 'ListTasks', {})).result.totalSize).toBe(totalSize);
  },
);
