import { Hono } from 'hono';
import type { Database } from '../store/database.ts';
import { plainText } from './answers.ts';
import { followCallToAction } from './follow-call-to-action.ts';
import { followLink } from './follow-link.ts';
import { KnownVisitors } from './known-visitors.ts';
import { secureRandom } from './random.ts';
import { type AnswerWhen, Recorder } from './recorder.ts';
import { SetupCache } from './setup-cache.ts';
import { takePostback } from './take-postback.ts';
import type { TrafficServices } from './traffic-services.ts';
import { type Reason, reasons, TurnedAway } from './turned-away.ts';

/** Live traffic of a tracker. */
export interface Traffic {
  /** `/base.php`, `/base2.php` and `/adclick.php`, to be mounted at the root. */
  readonly routes: Hono;
  /** How many requests were turned away since the start, by reason. */
  readonly turnedAway: Readonly<Record<Reason, number>>;
  /** Waits until everything that was answered is committed: before a report that is to show it, and before the end. */
  settle(): Promise<void>;
}

/**
 * Takes live traffic: visitors who follow campaign links, click on landing pages, and convert.
 *
 * Whatever is not understood is turned away with a plain text that says why, counted, and not recorded.
 *
 * @param options.now the clock of visits and conversions
 * @param options.answerWhen when visitors are sent on; a postback is always answered after its commit
 */
export async function openTraffic(
  database: Database,
  { now = () => new Date(), answerWhen = 'committed' }: { now?: () => Date; answerWhen?: AnswerWhen } = {},
): Promise<Traffic> {
  const services: TrafficServices = {
    setup: new SetupCache(database),
    visitors: new KnownVisitors(database),
    recorder: await Recorder.open(database, answerWhen),
    random: secureRandom(),
    now,
  };
  const turnedAway = Object.fromEntries(Object.keys(reasons).map((reason) => [reason, 0])) as Record<Reason, number>;
  const routes = new Hono({ strict: false });
  routes.all('/base.php', (context) => followLink(context, services));
  routes.all('/base2.php', (context) => followCallToAction(context, services));
  routes.all('/adclick.php', (context) => takePostback(context, services));
  routes.onError((error, context) => {
    if (error instanceof TurnedAway) {
      turnedAway[error.reason]++;
      return plainText(context, error.message, reasons[error.reason]);
    }
    // A defect, or a database that cannot write: what went wrong is for whoever runs the tracker.
    console.error(error);
    return plainText(context, 'The tracker failed, and nothing was recorded; its log says why.', 500);
  });
  return { routes, turnedAway, settle: () => services.recorder.settle() };
}
