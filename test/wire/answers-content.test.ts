import { AIMessage } from '@langchain/core/messages';
import { A2AError } from '@parley/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  collectFrames,
  type Fields,
  rpc,
  sendParts,
  sendText,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const textsOf = (messages: Fields[]): string[] =>
  messages.map(({ parts }) => parts.map(({ text = '' }: Fields) => text).join(''));
const firstText = (task: Fields): string => task.artifacts[0].parts[0].text;

/** Artifacts as the events of a stream build them: `append` adds, anything else begins anew. */
function fold(results: Fields[]): { [artifactId: string]: Fields[] } {
  const artifacts: { [artifactId: string]: Fields[] } = {};
  for (const { artifactUpdate } of results) {
    if (!artifactUpdate) continue;
    const { artifactId, parts } = artifactUpdate.artifact;
    artifacts[artifactId] = [...(artifactUpdate.append ? (artifacts[artifactId] ?? []) : []), ...parts];
  }
  return artifacts;
}

async function streamOf(server: Served, graphId: string, text: string): Promise<Fields[]> {
  const frames = await collectFrames(
    server,
    graphId,
    call('SendStreamingMessage', { message: userMessage(text) }),
  );
  return frames.map(({ data }) => data.result);
}

describe('tool results', () => {
  const calls = [
    { id: expect.any(String), name: 'add', args: { a: 2, b: 3 } },
    { id: expect.any(String), name: 'secret', args: {} },
  ];
  const results = [
    { toolCallId: expect.any(String), name: 'add', status: 'success', content: '5' },
    { toolCallId: expect.any(String), name: 'secret', status: 'success', content: 'the secret' },
  ];
  const part = { data: { toolCalls: calls, toolResults: results }, metadata: { langgraph: 'tools' } };

  it('are a data part of the message that made the calls, in the history and in its artifact', async () => {
    const task = await sendText(served, 'tools', 'go');
    expect(task.history.map(({ role }: Fields) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_AGENT']);
    const [, calling, saying] = task.history;
    expect(calling.parts).toEqual([{ text: 'let me see' }, part]);
    expect(saying.parts).toEqual([{ text: 'the sum is 5' }]);
    expect(firstText(task)).toBe('the sum is 5');
    expect(task.artifacts[1].parts).toEqual([{ text: 'let me see' }, part]);
    const { toolCalls, toolResults } = calling.parts[1].data;
    expect(toolResults.map(({ toolCallId }: Fields) => toolCallId)).toEqual(
      toolCalls.map(({ id }: Fields) => id),
    );
  });

  it('stand in the stream once, as in the task', async () => {
    const events = await streamOf(served, 'tools', 'go');
    const parts = Object.values(fold(events))
      .flat()
      .filter((one) => 'data' in one);
    expect(parts).toEqual([part]);
  });

  it('have the names over 0.3 that its clients read', async () => {
    const { result } = await rpc(served, 'tools', 'message/send', { message: userMessageV0_3('go') });
    const [, data] = result.history[1].parts;
    expect(data).toEqual({
      kind: 'data',
      data: {
        tool_calls: calls,
        tool_results: results.map(({ toolCallId, ...rest }) => ({ tool_call_id: toolCallId, ...rest })),
      },
      metadata: { langgraph: 'tools' },
    });
    expect(result.artifacts[1].parts[1]).toEqual(data);
  });

  it('of a user with the same keys are never renamed', async () => {
    const data = { toolCalls: [{ id: 1 }], toolResults: [{ toolCallId: 1 }], responseSchema: {} };
    const message = userMessageV0_3('', { parts: [{ kind: 'data', data }] });
    const { result } = await rpc(served, 'data', 'message/send', { message });
    expect(result.history[0].parts[0].data).toEqual(data);
  });

  it.each([
    { setting: 'add', shown: ['add'] },
    { setting: ' secret , other ', shown: ['secret'] },
    { setting: '', shown: [] },
    { setting: 'other', shown: [] },
  ])(
    'are those of A2A_ALLOWED_TOOL_CALL_RESULTS="$setting", in history and stream alike',
    async ({ setting, shown }) => {
      const few = await serve({ env: { A2A_ALLOWED_TOOL_CALL_RESULTS: setting } });
      try {
        const task = await sendText(few, 'tools', 'go');
        const [, toolPart] = task.history[1].parts;
        expect(toolPart.data.toolCalls).toEqual(
          calls.map(({ args, ...rest }) => (shown.includes(rest.name) ? { ...rest, args } : rest)),
        );
        expect(toolPart.data.toolResults).toEqual(results.filter(({ name }) => shown.includes(name)));
        const events = JSON.stringify(await streamOf(few, 'tools', 'go'));
        const v0 = JSON.stringify(
          await rpc(few, 'tools', 'message/send', { message: userMessageV0_3('go') }),
        );
        for (const text of [JSON.stringify(task), events, v0]) {
          expect(text.includes('the secret')).toBe(shown.includes('secret'));
        }
      } finally {
        await few.close();
      }
    },
  );
});

describe('what a graph says', () => {
  it('as structuredResponse is a data part of the answer', async () => {
    const task = await sendText(served, 'structured', 'go');
    const data = { data: { count: 2, items: ['a', 'b'] }, mediaType: 'application/json' };
    expect(task.artifacts).toHaveLength(1);
    expect(task.artifacts[0].parts).toEqual([{ text: 'two results' }, data]);
    expect(Object.values(fold(await streamOf(served, 'structured', 'go')))).toEqual([
      [{ text: 'two results' }, data],
    ]);
    const { result } = await rpc(served, 'structured', 'message/send', { message: userMessageV0_3('go') });
    expect(result.artifacts[0].parts[1]).toMatchObject({ kind: 'data', data: data.data });
  });

  it('in a subgraph goes out once', async () => {
    const task = await sendText(served, 'subgraph', 'go');
    expect(textsOf(task.history)).toEqual(['go', 'from inside', 'from outside']);
    expect(textsOf(task.artifacts)).toEqual(['from outside', 'from inside']);
    const streamed = Object.values(fold(await streamOf(served, 'subgraph', 'go')));
    expect(streamed.map((parts) => parts[0]?.text).sort()).toEqual(['from inside', 'from outside']);
  });

  it('without a reducer is what is new in each of three turns', async () => {
    const contextId = 'no-reducer';
    const turns: Fields[] = [];
    for (const text of ['a', 'b', 'c']) turns.push(await sendText(served, 'no-reducer', text, { contextId }));
    const said = ['1 messages: a', '3 messages: a / 1 messages: a / b'];
    said.push(`5 messages: a / ${said[0]} / b / ${said[1]} / c`);
    expect(turns.map(firstText)).toEqual(said);
    for (const turn of turns) expect(turn.artifacts).toHaveLength(1);
    expect(textsOf(turns[2]?.history)).toEqual(['a', said[0], 'b', said[1], 'c', said[2]]);
  });

  it('never comes again in the next turn', async () => {
    for (const graphId of [
      'memory',
      'tools',
      'structured',
      'subgraph',
      'files',
      'steps',
      'custom',
      'words',
    ]) {
      const contextId = `turns-of-${graphId}`;
      const first = await sendText(served, graphId, 'one', { contextId });
      const second = await sendText(served, graphId, 'two', { contextId }, { historyScope: 'task' });
      expect(second.artifacts).toHaveLength(first.artifacts.length);
      expect(second.history.filter(({ role }: Fields) => role === 'ROLE_USER')).toHaveLength(1);
      const ids = (task: Fields): string[] => task.artifacts.map(({ artifactId }: Fields) => artifactId);
      expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
      const message = userMessage('three', { contextId });
      const third = await collectFrames(served, graphId, call('SendStreamingMessage', { message }));
      expect(Object.keys(fold(third.map(({ data }) => data.result)))).toHaveLength(first.artifacts.length);
    }
  });

  it('is no interrupt because it holds the word', async () => {
    const task = await sendText(served, 'intercepted', 'go');
    expect(task.status).toEqual({ state: 'TASK_STATE_COMPLETED', timestamp: expect.any(String) });
    expect(firstText(task)).toBe('__interrupt__');
    const next = await sendText(served, 'intercepted', 'go', { contextId: task.contextId });
    expect(next.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('stands first in the artifacts, what it made on the way behind it', async () => {
    expect(textsOf((await sendText(served, 'steps', 'go')).artifacts)).toEqual([
      'from the second node',
      'from the first node',
    ]);
    const turn = await sendText(served, 'turn', 'go');
    expect(turn.artifacts.map(({ artifactId }: Fields) => artifactId)).toContain('own');
  });
});

describe('what a graph is told', () => {
  it('is all text parts, joined with nothing between', async () => {
    const task = await sendParts(served, 'echo', [
      { text: 'to' },
      { text: '' },
      { text: 'gether ' },
      { text: 'now' },
    ]);
    expect(firstText(task)).toBe('you said: together now');
    expect(task.history[0].parts).toHaveLength(4);
    const message = userMessageV0_3('', {
      parts: [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
    });
    expect((await rpc(served, 'echo', 'message/send', { message })).result.artifacts[0].parts[0].text).toBe(
      'you said: ab',
    );
  });

  it('is data as compact JSON under the text, one per line', async () => {
    const task = await sendParts(served, 'echo', [
      { data: { a: [1, null] } },
      { text: 'look' },
      { data: 'x' },
    ]);
    expect(firstText(task)).toBe('you said: look\n{"a":[1,null]}\n"x"');
    expect(firstText(await sendParts(served, 'echo', [{ data: [] }]))).toBe('you said: []');
  });

  it('is data in its own channel where there is one, anew in every turn', async () => {
    const contextId = 'channels';
    const bytes = { raw: 'QQ==', filename: 'a.bin', mediaType: 'application/octet-stream' };
    const said = async (parts: unknown[]): Promise<Fields> =>
      JSON.parse(firstText(await sendParts(served, 'data', parts, { contextId })));
    expect(await said([{ text: 'look' }, { data: { a: 1 } }, { data: [2] }])).toMatchObject({
      text: 'look',
      a2aData: [{ a: 1 }, [2]],
      a2aFiles: [],
    });
    const files = await said([{ data: 3 }, bytes]);
    expect(files.a2aData).toEqual([3]);
    expect(files.a2aFiles).toMatchObject([
      { bytes: 'QQ==', name: 'a.bin', mimeType: 'application/octet-stream' },
    ]);
    expect(await said([{ text: 'plain' }])).toEqual({ text: 'plain', a2aData: [], a2aFiles: [] });
  });

  it('is over 0.3 data that is no object, unwrapped', async () => {
    const part = { kind: 'data', data: { value: [1, 2] }, metadata: { data_part_compat: true } };
    const { result } = await rpc(served, 'data', 'message/send', {
      message: userMessageV0_3('', { parts: [part] }),
    });
    expect(JSON.parse(result.artifacts[0].parts[0].text).a2aData).toEqual([[1, 2]]);
    expect(result.history[0].parts).toEqual([part]);
  });
});

describe('U25, U26: files', () => {
  const every = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');

  it.each([
    ['text/plain', 'file'],
    ['image/png', 'image'],
    ['audio/wav', 'audio'],
    ['video/mp4', 'video'],
    [undefined, 'file'],
  ])('of %s arrive as %s, byte by byte', async (mediaType, type) => {
    const about = { filename: 'name ü.bin', ...(mediaType === undefined ? {} : { mediaType }) };
    const task = await sendParts(served, 'files', [
      { text: 'see' },
      { raw: every, ...about },
      { url: 'https://h/x?y=1#z', ...about },
    ]);
    const blocks = firstText(task)
      .split('\n')
      .map((line) => JSON.parse(line));
    const mime = mediaType === undefined ? {} : { mimeType: mediaType };
    const metadata = { filename: 'name ü.bin' };
    expect(blocks).toEqual([
      { type: 'text', text: 'see' },
      { type, ...mime, data: every, metadata },
      { type, ...mime, url: 'https://h/x?y=1#z', metadata },
    ]);
    expect(task.history[0].parts.slice(1)).toEqual([
      { raw: every, ...about },
      { url: 'https://h/x?y=1#z', ...about },
    ]);
  });

  it('of the graph are parts of its message, in history, artifact and stream', async () => {
    const file = {
      raw: Buffer.from('a,b\n1,2\n').toString('base64'),
      mediaType: 'text/csv',
      filename: 'report.csv',
    };
    const image = { url: 'https://example.com/chart.png', mediaType: 'image/png' };
    const task = await sendParts(served, 'files', [{ text: 'see ' }, image]);
    expect(task.artifacts[0].parts.slice(1)).toEqual([file, image]);
    expect(task.history[1].parts.slice(1)).toEqual([file, image]);
    const [streamed] = Object.values(fold(await streamOf(served, 'files', 'go')));
    expect(streamed).toEqual([file, image]);
    const { result } = await rpc(served, 'files', 'message/send', { message: userMessageV0_3('go') });
    expect(result.artifacts[0].parts).toEqual([
      { kind: 'file', file: { bytes: file.raw, mimeType: 'text/csv', name: 'report.csv' } },
      { kind: 'file', file: { uri: image.url, mimeType: 'image/png' } },
    ]);
  });

  it('are there in the next turn', async () => {
    const { contextId } = await sendParts(served, 'memory', [
      { text: 'keep ' },
      { raw: every, mediaType: 'image/png' },
    ]);
    const next = await sendText(served, 'memory', 'next', { contextId });
    expect(next.history[0].parts[1]).toEqual({ raw: every, mediaType: 'image/png' });
    expect(firstText(next)).toMatch(/^2: /);
  });
});

describe('an agent', () => {
  it.each([
    ['factory', 'you said: hi'],
    ['state-graph', 'made'],
    ['promise', 'you said: hi'],
    ['custom', 'custom: hi'],
    ['custom-stream', 'hi '],
  ])('given as %s is served', async (graphId, text) => {
    const task = await sendText(served, graphId, 'hi');
    expect(task.artifacts).toEqual([
      expect.objectContaining({ name: 'Assistant Response', parts: [{ text }] }),
    ]);
    expect(textsOf(task.history)).toEqual(['hi', text]);
  });

  it('that is no graph streams what it yields, as it yields it', async () => {
    const events = await streamOf(served, 'custom-stream', 'a b c');
    const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(new Set(updates.map(({ artifact }: Fields) => artifact.artifactId)).size).toBe(1);
    expect(updates.map(({ artifact }: Fields) => artifact.parts[0].text).join('')).toBe('a b c ');
    expect(updates.at(-1)).toMatchObject({ lastChunk: true });
  });

  it('that is no graph answers as text, message, data and files, and knows the conversation', async () => {
    const bytes = Buffer.from([0, 255, 128]).toString('base64');
    const other = await serve({
      graphs: {
        all: {
          invoke: () => ({
            text: 't',
            data: { snake_case: 1 },
            files: [{ bytes, name: 'f', mimeType: 'image/png' }],
          }),
        },
        message: { invoke: async () => new AIMessage('as a message') },
        nothing: { invoke: () => undefined },
        // As a graph would; nothing of it may be lost without a word.
        state: { invoke: () => ({ messages: [new AIMessage('hunter2')] }) },
        number: { invoke: () => 5 },
        throws: { invoke: () => Promise.reject(new Error('hunter2')) },
        'throws-a2a': { invoke: () => Promise.reject(new A2AError('unavailable', 'hunter2')) },
        remembers: {
          invoke: ({ messages }: { messages: { content: unknown }[] }) =>
            messages.map(({ content }) => content).join('|'),
        },
      },
    });
    try {
      const all = await sendText(other, 'all', 'x');
      expect(all.artifacts[0].parts).toEqual([
        { text: 't' },
        { data: { snake_case: 1 } },
        { raw: bytes, filename: 'f', mediaType: 'image/png' },
      ]);
      expect(firstText(await sendText(other, 'message', 'x'))).toBe('as a message');
      const nothing = await sendText(other, 'nothing', 'x');
      expect(nothing.status.state).toBe('TASK_STATE_COMPLETED');
      expect(nothing).not.toHaveProperty('artifacts');
      for (const graphId of ['throws', 'throws-a2a', 'state', 'number']) {
        const failed = await sendText(other, graphId, 'x');
        expect(failed.status.state).toBe('TASK_STATE_FAILED');
        expect(JSON.stringify(failed)).not.toContain('hunter2');
      }
      const { contextId } = await sendText(other, 'remembers', 'a');
      expect(firstText(await sendText(other, 'remembers', 'b', { contextId }))).toBe('a|a|b');
    } finally {
      await other.close();
    }
  });

  it.each([
    ['a number', 5],
    ['an empty object', {}],
    ['null', null],
  ])('that is %s is refused before the server starts', async (_, agent) => {
    await expect(serve({ graphs: { wrong: agent } })).rejects.toThrow(/wrong/);
  });
});
