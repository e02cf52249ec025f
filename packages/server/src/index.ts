export { ConfigError } from './config/config-error.ts';
export { type Config, type GraphEntry, loadConfig } from './config/load-config.ts';
export { createParley, type ParleyOptions } from './create-parley.ts';
export { createServer, type Parley, type ServedAgent, type ServerOptions } from './create-server.ts';
export type { CustomAgent, CustomContext, CustomInput, CustomOutput } from './langgraph/custom-agent.ts';
export { loadAgents } from './langgraph/load-agents.ts';
