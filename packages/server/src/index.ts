export { ConfigError } from './config/config-error.ts';
export { type Config, type GraphEntry, loadConfig } from './config/load-config.ts';
export { createParley, type Parley, type ParleyOptions } from './create-parley.ts';
export { loadAgents } from './langgraph/load-agents.ts';
