import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { Embed, StoreSettings } from './config/store-settings.ts';
import type { ItemSettings } from './store/sqlite/items/item-store.ts';

const MINUTE_MS = 60_000;

/** What LangGraph's names mean for our store. */
export function itemSettings({ index, ttl }: StoreSettings): ItemSettings {
  const minutes = ttl?.default_ttl;
  return {
    ...(index ? { index: { ...index, embeddings: embeddingsOf(index.embed) } } : {}),
    ...(minutes === undefined
      ? {}
      : { ttl: { ms: minutes * MINUTE_MS, refreshOnRead: ttl?.refresh_on_read ?? true } }),
  };
}

function embeddingsOf(embed: Embed): EmbeddingsInterface {
  if (typeof embed !== 'function') return embed;
  return {
    embedDocuments: async (texts) => embed(texts),
    embedQuery: async (text) => (await embed([text]))[0] ?? [],
  };
}
