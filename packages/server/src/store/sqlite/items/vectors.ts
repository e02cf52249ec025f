import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import { textsAt } from './text-at-path.ts';

/** How items are searched by meaning (LangGraph, `IndexConfig`). */
export interface ItemIndex {
  embeddings: EmbeddingsInterface;
  /** Length of a vector. */
  dims: number;
  /** Paths of what is searched in a value; the whole of it if absent. */
  fields?: string[];
}

/** Vectors of length 1 for the texts of a value; `fields: false`: none. Throws if the model answers another length. */
export async function vectorsOf(
  index: ItemIndex,
  value: object,
  fields: false | string[] | undefined,
): Promise<Float32Array[]> {
  if (fields === false) return [];
  const texts = (fields ?? index.fields ?? ['$']).flatMap((path) => textsAt(value, path));
  if (texts.length === 0) return [];
  const vectors = await index.embeddings.embedDocuments(texts);
  return vectors.map((vector) => unit(vector, index.dims));
}

export async function vectorOfQuery(index: ItemIndex, query: string): Promise<Float32Array> {
  return unit(await index.embeddings.embedQuery(query), index.dims);
}

/** Cosine of the nearest one, -1 to 1. Vectors of another length are of an earlier model and say nothing. */
export function nearness(query: Float32Array, vectors: readonly Float32Array[] = []): number | undefined {
  const scores = vectors.filter(({ length }) => length === query.length).map((one) => dot(query, one));
  return scores.length === 0 ? undefined : Math.max(...scores);
}

function unit(vector: readonly number[], dims: number): Float32Array {
  if (vector.length !== dims) {
    throw new RangeError(`store.index.dims is ${dims}, but the model answers vectors of ${vector.length}`);
  }
  const floats = Float32Array.from(vector);
  const length = Math.sqrt(dot(floats, floats));
  return length === 0 ? floats : floats.map((one) => one / length);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += (left[i] as number) * (right[i] as number);
  return sum;
}
