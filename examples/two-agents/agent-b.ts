import { type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { chatModel } from '../shared/model.ts';
import type { Line } from '../shared/scripted-model.ts';

const getWeather = tool(({ city }) => `17 degrees and cloudy in ${city}`, {
  name: 'get_weather',
  description: 'The weather in a city now',
  schema: z.object({ city: z.string() }),
});

export const graph = createAgent({
  model: await chatModel({ reply: scripted }),
  tools: [getWeather],
  systemPrompt: 'You are a helpful conversational agent. Look up the weather before you answer. Be brief.',
});

/** Says something before it calls its tool: a client must not take that for the answer. */
function scripted(messages: BaseMessage[]): Line {
  const last = messages.at(-1);
  if (last && ToolMessage.isInstance(last)) return `I am agent B, and it is ${last.text}.`;
  return { text: 'Let me look that up.', calls: [{ name: 'get_weather', args: { city: 'Hamburg' } }] };
}
