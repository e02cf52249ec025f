import { Annotation, MessagesAnnotation } from '@langchain/langgraph';
import { a2aChannels } from '@parley/agent';
import { z } from 'zod';

export interface Receipt {
  name: string;
  items: { item: string; amount: number }[];
  total: number;
}

/** What the approver answers; the agent's question carries it as a JSON Schema. */
export const Decision = z.object({ approved: z.boolean(), note: z.string().optional() });
export type Decision = z.infer<typeof Decision>;

/** What a client may send as data, at any turn. */
export const Booking = z.object({ costCenter: z.string().default('none'), limit: z.number().default(50) });
export type Booking = z.infer<typeof Booking>;

/** `a2aChannels`: the server writes the data and the files of each message there. */
export const ExpenseState = Annotation.Root({
  ...MessagesAnnotation.spec,
  ...a2aChannels,
  receipt: Annotation<Receipt | undefined>(),
  decision: Annotation<Decision | undefined>(),
});
export type ExpenseState = typeof ExpenseState.State;

export function bookingOf(state: ExpenseState): Booking {
  const sent = (state.a2aData ?? []).map((data) => Booking.safeParse(data)).find(({ success }) => success);
  return sent?.data ?? Booking.parse({});
}
