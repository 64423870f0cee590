import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../api/failure.ts';
import type { Campaign } from '../rotation/choose-page.ts';
import { secureRandom } from '../rotation/random.ts';
import type { Database } from '../store/database.ts';
import { type Answer, plainText, type Reason, reasons, send, TurnedAway } from './answers.ts';
import { followCallToAction, followLink, type TrafficServices } from './follow.ts';
import { KnownVisitors } from './known-visitors.ts';
import { SetupCache } from './load-campaigns.ts';
import { Recorder } from './recorder.ts';
import { takePostback } from './take-postback.ts';
import { readRequest, type VisitorRequest } from './visitor-request.ts';

export interface Traffic {
  /**
   * Answers a request of traffic; false for any other, and nothing was done. Requests come straight from Node's server: a web
   * framework ahead of it costs as much as the redirect itself.
   */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Requests turned away since the start. */
  readonly turnedAway: Readonly<Record<Reason, number>>;
  /**
   * Commits all that was answered: before a report that is to show it, and before the end. If the database throws, it is kept
   * and tried again.
   */
  settle(): Promise<void>;
}

/** Answers a request by the set-up as it was committed when the request came. */
type Handler = (
  request: VisitorRequest,
  campaigns: ReadonlyMap<number, Campaign>,
  services: TrafficServices,
) => Promise<Answer>;

const handlers: Readonly<Record<string, Handler>> = {
  '/base.php': followLink,
  '/base2.php': followCallToAction,
  '/adclick.php': takePostback,
};

/**
 * Serves visitors who follow campaign links, click on landing pages, and convert. Others are turned away with a text that
 * says why, counted, and not recorded.
 */
export async function openTraffic(database: Database, now: () => Date = () => new Date()): Promise<Traffic> {
  const setup = new SetupCache(database);
  const services: TrafficServices = {
    visitors: new KnownVisitors(database),
    recorder: await Recorder.open(database),
    random: secureRandom(),
    now,
  };
  const turnedAway = Object.fromEntries(Object.keys(reasons).map((reason) => [reason, 0])) as Record<Reason, number>;

  const answerFailure = (error: unknown): Answer => {
    if (error instanceof TurnedAway) {
      turnedAway[error.reason]++;
      const headers = error.allowed ? ['Allow', error.allowed.join(', ')] : [];
      // What is left of a body that was not read would be taken for the next request.
      if (error.reason === 'too-large') headers.push('Connection', 'close');
      return plainText(error.message, reasons[error.reason], headers);
    }
    if (error instanceof Failure) return plainText(`${error.message} Nothing was recorded.`, 500);
    console.error(error);
    return plainText('The tracker failed, and nothing was recorded; its log says why.', 500);
  };
  const answer = async (handler: Handler, incoming: IncomingMessage): Promise<Answer> => {
    const request = await readRequest(incoming);
    return handler(request, await setup.current(), services);
  };

  return {
    turnedAway,
    settle: () => services.recorder.settle(),
    serve: (request, response) => {
      const handler = handlerOf(request.url ?? '');
      if (!handler) return false;
      void answer(handler, request)
        .catch(answerFailure)
        .then((answered) => send(response, answered));
      return true;
    },
  };
}

function handlerOf(url: string): Handler | undefined {
  const [path = ''] = url.split('?', 1);
  return Object.hasOwn(handlers, path) ? handlers[path] : undefined;
}
