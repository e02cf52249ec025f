import { readOrder, tokens } from './tokens.ts';

/** The agent that is no graph, in the form Parley takes; `subjects/sdk.ts` says the same in the SDK's form. */
export const echoAgent = {
  invoke: ({ text }: { text: string }): string => `you said ${text}`,
  stream: ({ text }: { text: string }): AsyncIterable<string> => tokens(readOrder(text)),
};
