import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Database } from '../database.ts';
import type { Transactions } from '../transactions.ts';
import { openLists } from './lists.ts';
import { openCheckpointRows } from './rows.ts';
import { LaneSaver } from './saver.ts';
import { createTexts } from './texts.ts';
import { createValueCodec } from './value-codec.ts';

export interface Checkpoints {
  /** A saver for the thread of a lane. `write` carries out each of its writes; without it each is committed at once. */
  ofLane(lane: number, write?: Transactions['join']): BaseCheckpointSaver;
  /** Id of a lane's newest checkpoint, subgraphs aside. */
  headOf(lane: number): string | null;
  /** Removes the thread of a lane, within the caller's transaction. */
  forget(lane: number): void;
}

export function openCheckpoints(database: Database): Checkpoints {
  const rows = openCheckpointRows(database);
  const lists = openLists(database);
  const texts = createTexts();
  return {
    ofLane: (lane, write = database.write) =>
      new LaneSaver({ write, rows, codec: createValueCodec(lane, lists, texts), lane }),
    headOf: (lane) => rows.headOf(lane),
    forget: (lane) => {
      rows.deleteAll(lane);
      lists.deleteAll(lane);
    },
  };
}
