import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/load-config.ts';
import { isEmbed, type StoreSettings } from '../config/store-settings.ts';
import { loadExport } from './load-export.ts';

/** The settings of LangGraph's store, with the model that a `langgraph.json` names. Throws `ConfigError`. */
export async function loadStore({ file, store: { index, ...settings } }: Config): Promise<StoreSettings> {
  if (!index) return settings;
  const key = 'store.index.embed';
  const embed = await loadExport(file, key, index.embed);
  if (!isEmbed(embed)) {
    const expected = 'expected LangChain Embeddings or a function from texts to vectors';
    throw new ConfigError(file, key, `'${index.embed.exportName}' makes no vectors; ${expected}`);
  }
  return { ...settings, index: { ...index, embed } };
}
