import { AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { END, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { chatModel } from '../shared/model.ts';
import type { Line } from '../shared/scripted-model.ts';
import { writeReport } from './receipt.ts';
import { bookingOf, ExpenseState } from './state.ts';
import { tools } from './tools.ts';

const SYSTEM =
  'You run an expense desk. Read the receipt of the message with read_receipt, then call request_approval. ' +
  'Without a receipt, ask for one as a CSV file. If the expense is declined, say so and why.';

const model = (await chatModel({ reply: scripted, delayMs: 15 })).bindTools(tools);

async function agent(state: ExpenseState) {
  return { messages: [await model.invoke([new SystemMessage(SYSTEM), ...state.messages])] };
}

/** The answer: a text, and the report as a file. A content block of an AI message becomes a file part of the artifact. */
function report(state: ExpenseState) {
  const { receipt, decision } = state;
  if (!receipt) throw new Error('there is no receipt to report');
  const { costCenter } = bookingOf(state);
  const csv = writeReport(receipt, costCenter, decision?.note ?? 'approved');
  const content = [
    { type: 'text', text: `Filed ${receipt.total.toFixed(2)} EUR from ${receipt.name} under ${costCenter}.` },
    {
      type: 'file',
      mimeType: 'text/csv',
      data: Buffer.from(csv).toString('base64'),
      metadata: { filename: 'expense-report.csv' },
    },
  ];
  return { messages: [new AIMessage({ content })], receipt: undefined, decision: undefined };
}

export const graph = new StateGraph(ExpenseState)
  .addNode('agent', agent)
  .addNode('tools', new ToolNode(tools))
  .addNode('report', report)
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', ({ messages }) => (callsTools(messages.at(-1)) ? 'tools' : END), [
    'tools',
    END,
  ])
  .addConditionalEdges('tools', ({ decision }) => (decision?.approved ? 'report' : 'agent'), [
    'report',
    'agent',
  ])
  .addEdge('report', END)
  .compile();

function callsTools(message: BaseMessage | undefined): boolean {
  return message !== undefined && AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0;
}

function scripted(messages: BaseMessage[]): Line {
  const last = messages.at(-1);
  if (last?.type !== 'tool')
    return { text: 'Let me see the receipt.', calls: [{ name: 'read_receipt', args: {} }] };
  if (last.text.startsWith('error')) return `Please attach the receipt as a CSV file (${last.text}).`;
  if (last.text.startsWith('declined')) return `The expense was ${last.text}. Nothing was filed.`;
  return { calls: [{ name: 'request_approval', args: {} }] };
}
