export type { CorsSettings, HttpSettings } from './config/settings.ts';
export type { Embed, StoreSettings } from './config/store-settings.ts';
export { createParley, type ParleyOptions } from './create-parley.ts';
export type { Parley } from './create-server.ts';
export type { CustomAgent, CustomContext, CustomInput, CustomOutput } from './langgraph/custom-agent.ts';
