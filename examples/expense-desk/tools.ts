import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, getCurrentTaskInput, interrupt, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { z } from 'zod';
import { readReceipt } from './receipt.ts';
import { bookingOf, Decision, type ExpenseState } from './state.ts';

type ToolConfig = LangGraphRunnableConfig & { toolCall?: { id?: string } };

const readReceiptTool = tool(
  (_, config: ToolConfig) => {
    const [file] = stateOf(config).a2aFiles ?? [];
    if (!file) return 'error: the message has no receipt';
    try {
      const receipt = readReceipt(file);
      return result(config, `${receipt.name}: ${receipt.items.length} items, total ${receipt.total}`, {
        receipt,
      });
    } catch (error) {
      return `error: ${(error as Error).message}`;
    }
  },
  { name: 'read_receipt', description: 'Reads the receipt that came with the message', schema: z.object({}) },
);

const requestApprovalTool = tool(
  (_, config: ToolConfig) => {
    const state = stateOf(config);
    const { receipt } = state;
    if (!receipt) return 'error: read the receipt first';
    const { limit, costCenter } = bookingOf(state);
    if (receipt.total <= limit) return approval(config, { approved: true, note: `below ${limit} EUR` });
    const question = `Approve ${receipt.total.toFixed(2)} EUR for cost center ${costCenter}?`;
    // The graph stops here, as long as it takes. The answer comes as a message to the task that waits.
    return approval(config, interrupt({ question, receipt }, { responseSchema: Decision }));
  },
  {
    name: 'request_approval',
    description: 'Asks for the approval of the receipt that was read',
    schema: z.object({}),
  },
);

export const tools = [readReceiptTool, requestApprovalTool];

function approval(config: ToolConfig, decision: Decision) {
  const text = decision.approved ? 'approved' : 'declined';
  return result(config, decision.note ? `${text}: ${decision.note}` : text, { decision });
}

function stateOf(config: ToolConfig): ExpenseState {
  return getCurrentTaskInput<ExpenseState>(config);
}

/** A tool's answer that writes into the state as well. */
function result(config: ToolConfig, content: string, update: Partial<ExpenseState>): Command {
  const message = new ToolMessage({ content, tool_call_id: config.toolCall?.id ?? '' });
  return new Command({ update: { ...update, messages: [message] } });
}
