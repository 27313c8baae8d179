// What was said on the streams of one session, for a client that lost one and comes back with Last-Event-ID.
//   V1. Bounded, in events and in bytes: the oldest go first. Who comes back too late reads its task again.
//   V2. In memory: it goes with its session, and a restart ends both. The ledger is the truth; this only spares a client the question.

import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

const EVENTS_MAX = 100;
const BYTES_MAX = 262_144;

interface Said {
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

export function createEventStore(): EventStore {
  const said = new Map<EventId, Said>();
  let count = 0;
  let bytes = 0;

  function makeRoom(): void {
    for (const [id, oldest] of said) {
      if (said.size <= 1 || (said.size <= EVENTS_MAX && bytes <= BYTES_MAX)) return;
      said.delete(id);
      bytes -= oldest.bytes;
    }
  }

  return {
    async storeEvent(stream, message) {
      const id = String(++count);
      const size = JSON.stringify(message).length;
      said.set(id, { stream, message, bytes: size });
      bytes += size;
      makeRoom();
      return id;
    },
    getStreamIdForEventId: async (id) => said.get(id)?.stream,
    async replayEventsAfter(last, { send }) {
      const stream = said.get(last)?.stream;
      if (stream === undefined) throw new Error('the event is no longer kept');
      const after = [...said].filter(([id, event]) => Number(id) > Number(last) && event.stream === stream);
      // What only marks the beginning of a stream is nothing to say again.
      for (const [id, { message }] of after) if ('jsonrpc' in message) await send(id, message);
      return stream;
    },
  };
}
