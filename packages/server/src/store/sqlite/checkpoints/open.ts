import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Database } from '../database.ts';
import { openLists } from './lists.ts';
import { openCheckpointRows } from './rows.ts';
import { LaneSaver } from './saver.ts';
import { createTexts } from './texts.ts';
import { createValueCodec } from './value-codec.ts';

export interface Checkpoints {
  /** The saver of a run; `fence` throws when the run's lease is lost. */
  ofRun(lane: number, fence: () => void): BaseCheckpointSaver;
  /** A saver that nobody else's lease bounds: for reading a thread, and for the conformance suite. */
  ofLane(lane: number): BaseCheckpointSaver;
  /** Id of a lane's newest checkpoint, subgraphs aside. */
  headOf(lane: number): string | null;
}

export function openCheckpoints(database: Database): Checkpoints {
  const rows = openCheckpointRows(database);
  const lists = openLists(database);
  const texts = createTexts();
  const ofRun = (lane: number, fence: () => void) =>
    new LaneSaver({ database, rows, codec: createValueCodec(lane, lists, texts), lane, fence });
  return { ofRun, ofLane: (lane) => ofRun(lane, () => {}), headOf: (lane) => rows.headOf(lane) };
}
