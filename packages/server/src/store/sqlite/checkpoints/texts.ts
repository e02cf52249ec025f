import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { type Json, make, messageRecipe, NO_RECIPE, type Recipe } from './recipe.ts';

/** The serializer of LangGraph's savers, and a faster way to read what it writes most. */
export interface Texts {
  write(value: unknown): string;
  /** Equal to what LangGraph's serializer would return. */
  read(text: string): Promise<unknown>;
  /** `undefined`: the text is neither plain JSON nor a LangChain message made of it. */
  recipe(text: string): Recipe | undefined;
}

class Serializer extends JsonPlusSerializer {
  dump(value: unknown): string {
    return Buffer.from(this._dumps(value)).toString();
  }
}

export function createTexts(): Texts {
  const serializer = new Serializer();
  return {
    write: (value) => serializer.dump(value),
    read: async (text) => {
      const json = JSON.parse(text) as Json;
      if (!mentionsRecords(text)) return json;
      const value = orNoRecipe(() => revive(json));
      return value === NO_RECIPE ? serializer.loadsTyped('json', text) : value;
    },
    recipe: (text) => {
      const json = JSON.parse(text) as Json;
      if (!mentionsRecords(text)) return { Class: undefined, json };
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
      const recipe = orNoRecipe(() => messageRecipe(json));
      return recipe === NO_RECIPE ? undefined : recipe;
    },
  };
}

/** Every record that stands for something else than itself has a key `lc`. */
function mentionsRecords(text: string): boolean {
  return text.includes('"lc":');
}

function orNoRecipe<T>(body: () => T): T | typeof NO_RECIPE {
  try {
    return body();
  } catch (error) {
    if (error === NO_RECIPE) return NO_RECIPE;
    throw error;
  }
}

function revive(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(revive);
  if (Object.hasOwn(json, 'lc')) return make(messageRecipe(json));
  const object: Record<string, unknown> = {};
  for (const key of Object.keys(json)) object[key] = revive(json[key] as Json);
  return object;
}
