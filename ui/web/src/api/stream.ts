// SPDX-License-Identifier: Apache-2.0
// Server-sent events by fetch, because EventSource cannot carry a token. After a broken connection
// the next one begins behind the last event that came.
import {Problem, send} from './client';

export interface StreamEvent {
  id: string;
  event: string;
  data: string;
}

function parseBlock(block: string): StreamEvent | undefined {
  const event: StreamEvent = {id: '', event: 'message', data: ''};
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event.event = value;
    else if (field === 'id') event.id = value;
  }
  event.data = data.join('\n');
  return data.length > 0 ? event : undefined;
}

async function read(response: Response, take: (event: StreamEvent) => void) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) take(event);
    }
  }
}

// Calls `take` with each event until the returned function is called or an "end" event has come.
// `refused` hears of an answer that trying again will not change.
export function follow(
  path: string,
  after: string | undefined,
  take: (event: StreamEvent) => void,
  refused: (problem: Problem) => void,
): () => void {
  const abort = new AbortController();
  let last = after;
  let pause = 500;
  let ended = false;
  const run = async () => {
    while (!ended && !abort.signal.aborted) {
      try {
        const headers: Record<string, string> = {Accept: 'text/event-stream'};
        if (last) headers['Last-Event-ID'] = last;
        const response = await send('GET', path, {headers, signal: abort.signal});
        pause = 500;
        await read(response, (event) => {
          if (event.id) last = event.id;
          if (event.event === 'end') ended = true;
          take(event);
        });
      } catch (error) {
        if (abort.signal.aborted) return;
        if (
          error instanceof Problem &&
          error.status >= 400 &&
          error.status < 500 &&
          error.status !== 429
        ) {
          return refused(error);
        }
      }
      if (ended || abort.signal.aborted) return;
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(pause * 2, 8000);
    }
  };
  void run();
  return () => abort.abort();
}
