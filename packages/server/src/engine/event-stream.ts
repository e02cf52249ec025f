import type { StreamResponse } from '@parley/protocol';

/** An event of a stream; `id` is its sequence number in the task's log, `final` marks the last one. */
export interface StreamedEvent {
  id: number;
  event: StreamResponse;
  final: boolean;
}

/** What is ready is yielded together. */
export type EventStream = AsyncIterable<readonly StreamedEvent[]>;
