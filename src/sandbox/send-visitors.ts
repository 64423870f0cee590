import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../api/failure.ts';
import { type Journey, type Profile, playVisitor, type VisitedCampaign } from './play-visitor.ts';
import { seededRandom } from './rotation/random.ts';

/** What visitors did on a page, counted as a report counts it. */
export interface PageTally {
  visitors: number;
  clicks: number;
  conversions: number;
  cents: number;
}

export interface VisitorsSent {
  readonly visitors: number;
  readonly seconds: number;
  readonly pages: ReadonlyMap<number, PageTally>;
}

export interface SendOptions {
  readonly campaign: VisitedCampaign;
  readonly profile: Profile;
  readonly visitors: number;
  /** Max visitors per second. */
  readonly rate: number;
  /** The same seed gives the same visitors; the tracker decides where they go. */
  readonly seed: number;
  /** Stops further arrivals; visitors on the way finish. */
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const maxAtOnce = 64;

/** Sends visitors over HTTP. Throws a Failure if the tracker cannot be reached, or turns a visitor away. */
export async function sendVisitors(options: SendOptions): Promise<VisitorsSent> {
  const { campaign, profile, visitors, rate, seed, signal, onProgress } = options;
  const pages = new Map<number, PageTally>(
    [...campaign.pages.keys()].map((id) => [id, { visitors: 0, clicks: 0, conversions: 0, cents: 0 }]),
  );
  const onTheWay = new Set<Promise<void>>();
  const agent = new Agent({ keepAlive: true, maxSockets: maxAtOnce });
  const started = performance.now();
  // Tells the visits of two runs with the same seed apart.
  const run = Date.now().toString(36);
  let done = 0;
  let failure: unknown;
  const play = async (index: number) => {
    try {
      const random = seededRandom(seed, index);
      addTo(pages, await playVisitor({ agent, campaign, profile, random, name: `${run}-${index}` }), campaign);
      done++;
      onProgress?.(done, visitors);
    } catch (error) {
      failure ??= error;
    }
  };
  for (let index = 0; index < visitors && !signal.aborted && !failure; index++) {
    const early = started + (1000 * index) / rate - performance.now();
    // Timers are not finer than a few milliseconds, so visitors that close together are sent at once.
    if (early > 4) await wait(early, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const visitor = play(index).finally(() => onTheWay.delete(visitor));
    onTheWay.add(visitor);
    if (onTheWay.size >= maxAtOnce) await Promise.race(onTheWay);
  }
  await Promise.all(onTheWay);
  agent.destroy();
  if (failure instanceof Failure) throw failure;
  if (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new Failure(`The tracker can no longer be reached: ${reason}.`, 'Is it still running?');
  }
  return { visitors: done, seconds: (performance.now() - started) / 1000, pages };
}

/** Counts a journey as reports do: a conversion belongs to its offer, and to every other kind of page that the visitor saw. */
function addTo(
  pages: ReadonlyMap<number, PageTally>,
  { pages: seen, clicked, conversion }: Journey,
  campaign: VisitedCampaign,
): void {
  for (const id of seen) {
    const tally = pages.get(id);
    if (!tally) continue;
    const isOffer = campaign.pages.get(id)?.kind === 'offer';
    tally.visitors++;
    // An offer has no call to action: its click is the one that led to it, or in a direct-link campaign the one on the ad.
    const isClicked = isOffer ? campaign.isDirectLink || clicked.length > 0 : clicked.includes(id);
    if (isClicked) tally.clicks++;
    if (!conversion || (isOffer && conversion.offer !== id)) continue;
    tally.conversions++;
    tally.cents += conversion.cents;
  }
}
