import type { AgentCard, AgentSkill, JsonValue } from '../../model.ts';
import { asJson, dropEmpty, mapShared, replace } from '../share.ts';

const trimSkill = (skill: AgentSkill): AgentSkill =>
  dropEmpty(skill, ['examples', 'inputModes', 'outputModes', 'securityRequirements']);

/** Required lists stay, also empty ones; empty optional lists and maps go (section 8.4.1). */
export function trimCard(card: AgentCard): AgentCard {
  let result = dropEmpty(card, ['securityRequirements', 'signatures']);
  if (result.securitySchemes !== undefined && Object.keys(result.securitySchemes).length === 0) {
    const { securitySchemes: _, ...rest } = result;
    result = rest;
  }
  result = replace(result, 'capabilities', dropEmpty(result.capabilities, ['extensions']));
  return replace(result, 'skills', mapShared(result.skills, trimSkill));
}

export function encodeCard(card: AgentCard): JsonValue {
  return asJson(trimCard(card));
}
