export { a2aChannels } from './channels.ts';
export { dataOf, type FileRef, filesOf, textOf } from './parts.ts';
export { a2aTurn, type OtherTask, type Say, type Turn, type TurnArtifact } from './turn.ts';
export {
  isTurnChunk,
  TURN_KEY,
  type TurnAct,
  type TurnChunk,
  type TurnInput,
  type TurnOutput,
} from './turn-wire.ts';
