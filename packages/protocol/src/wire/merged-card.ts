import type { AgentCard, JsonObject, JsonValue } from '../model.ts';
import { isObject } from './reader.ts';
import { asJson } from './share.ts';
import { encodeCard as encode0_3 } from './v0_3/card.ts';
import { trimCard } from './v1_0/card.ts';

/** Entry by entry, so that each scheme carries both its `type` and its oneof key. */
function mergeEntries(left: JsonValue | undefined, right: JsonValue | undefined): JsonObject {
  if (!isObject(left) || !isObject(right)) return {};
  const both = right as JsonObject;
  return Object.fromEntries(
    Object.entries(left as JsonObject).map(([name, item]) => [
      name,
      { ...(item as object), ...(both[name] as object) },
    ]),
  );
}

/** A card that readers of 0.3 and of 1.0 both understand, for requests that name no version. Never signed. */
export function mergedCard(card: AgentCard): JsonValue {
  const { signatures: _, ...v1_0 } = trimCard(card);
  const v0_3 = encode0_3(card);
  const merged: JsonObject = { ...v0_3, ...(asJson(v1_0) as JsonObject) };
  if (v1_0.securitySchemes !== undefined) {
    merged.securitySchemes = mergeEntries(v0_3.securitySchemes, asJson(v1_0.securitySchemes));
  }
  const skills = Array.isArray(v0_3.skills) ? v0_3.skills : [];
  merged.skills = v1_0.skills.map((skill, index) => asJson({ ...(skills[index] as object), ...skill }));
  return merged;
}
