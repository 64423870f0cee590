import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { listening } from '../../support/listening.ts';

/** How long it takes for an answer, in milliseconds. */
const answerMs = 40;

/** A tracker that counts the requests in flight and the writes. Each answer with conversions has a number. */
export async function startCountingTracker() {
  /** The bids that it was asked to set, in order. */
  const bids: string[] = [];
  // Only requests for conversions count as reads.
  let [inFlight, maxInFlight, reads] = [0, 0, 0];
  let bid = '0.1';
  const answerTo = (path: string, parameters: URLSearchParams): string => {
    if (path === '/api/campaign/list/') return JSON.stringify([{ ID: '1', Name: 'One', Bid: bid }]);
    if (path === '/api/campaign/edit/') {
      bid = parameters.get('bid') ?? bid;
      bids.push(bid);
      return '{"Status":"OK"}';
    }
    reads += 1;
    return JSON.stringify(Array.from({ length: 60 }, (_, row) => ({ SubID: `${reads}_${row}`, Revenue: '1.00' })));
  };
  const server = createServer(async (request, response) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    let isCounted = true;
    const leave = () => {
      if (isCounted) inFlight -= 1;
      isCounted = false;
    };
    response.on('close', leave);
    const body = answerTo(request.url ?? '', new URLSearchParams(await text(request)));
    await setTimeout(answerMs);
    // A caller may ask again before this thread knows that the answer was sent.
    leave();
    response.end(body);
  });
  return { url: await listening(server), bids, reads: () => reads, maxInFlight: () => maxInFlight };
}
