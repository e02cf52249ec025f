import { setImmediate, setTimeout } from 'node:timers/promises';

/** What a message asks a streaming agent for: `stream <chunks> <milliseconds between two>`. */
export interface TokenOrder {
  chunks: number;
  everyMs: number;
}

export function orderText({ chunks, everyMs }: TokenOrder): string {
  return `stream ${chunks} ${everyMs}`;
}

export function readOrder(text: string): TokenOrder {
  const [, chunks = '', everyMs = ''] = /^stream (\d+) (\d+)$/.exec(text) ?? [];
  return { chunks: Number(chunks), everyMs: Number(everyMs) };
}

/** Ten characters each. With no pause the event loop still turns between two, as it does behind a network. */
export async function* tokens({ chunks, everyMs }: TokenOrder): AsyncGenerator<string> {
  for (let n = 0; n < chunks; n++) {
    if (everyMs > 0) await setTimeout(everyMs);
    else await setImmediate();
    yield `token${String(n % 10_000).padStart(4, '0')} `;
  }
}

export function countTokens(text: string): number {
  return text.match(/token\d{4} /g)?.length ?? 0;
}
