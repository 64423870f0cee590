import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../api/failure.ts';
import { secureRandom } from '../rotation/random.ts';
import type { Database } from '../store/database.ts';
import { loadCampaigns } from '../store/load-campaigns.ts';
import { type Campaigns, followCallToAction, followLink, type TrafficServices, takePostback } from './handlers.ts';
import { type Answer, plainText, readRequest, requireMethod, send, TurnedAway, type VisitorRequest } from './http.ts';
import { KnownVisitors } from './known-visitors.ts';
import { Recorder } from './recorder.ts';

export interface Traffic {
  /**
   * Answers a request of live traffic. Returns false, and does nothing, for any other. Requests come straight from Node's server,
   * because a web framework would cost as much as the redirect.
   */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Makes the visits of before, and commits everything that was answered. If the database throws, it is kept and tried again. */
  flush(): Promise<void>;
  /** Commits what was answered, if anything was. */
  close(): Promise<void>;
}

interface Route {
  readonly methods: readonly string[];
  readonly handle: (request: VisitorRequest, campaigns: Campaigns, services: TrafficServices) => Promise<Answer>;
}

const routes: ReadonlyMap<string, Route> = new Map([
  ['/base.php', { methods: ['GET'], handle: followLink }],
  ['/base2.php', { methods: ['GET'], handle: followCallToAction }],
  ['/adclick.php', { methods: ['GET', 'POST'], handle: takePostback }],
]);

/**
 * Serves visitors who follow campaign links, click on landing pages, and convert. Others are turned away with a reason, and
 * nothing is recorded.
 *
 * @param makeVisits makes the visits of before, once they are needed: new ones come after them
 */
export function openTraffic(
  database: Database,
  now: () => Date = () => new Date(),
  makeVisits: () => Promise<void> = async () => undefined,
): Traffic {
  let recorder: Recorder | undefined;
  const made = onceDone(makeVisits);
  const services = onceDone(async (): Promise<TrafficServices> => {
    await made();
    recorder = await Recorder.open(database);
    return { visitors: new KnownVisitors(database), recorder, random: secureRandom(), now };
  });
  const currentCampaigns = cacheCampaigns(database);
  const answer = async ({ methods, handle }: Route, incoming: IncomingMessage): Promise<Answer> => {
    const request = await readRequest(incoming);
    requireMethod(request, methods);
    const own = await services();
    return handle(request, await currentCampaigns(), own);
  };
  return {
    serve: (request, response) => {
      const route = routes.get(request.url?.split('?', 1)[0] ?? '');
      if (!route) return false;
      void answer(route, request)
        .catch(answerFailure)
        .then((answered) => send(response, answered));
      return true;
    },
    flush: async () => (await services()).recorder.flush(),
    close: async () => recorder?.flush(),
  };
}

/** Does some work once, for all who ask; again only after it failed. */
function onceDone<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let done: Promise<Result> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** The setup of the campaigns, read again once it may have changed. Reading it takes longer than a redirect. */
function cacheCampaigns(database: Database): () => Promise<Campaigns> {
  let cached: { readonly version: number; readonly campaigns: Campaigns } | undefined;
  return async () => {
    const version = database.setupVersion;
    if (cached?.version !== version) cached = { version, campaigns: await loadCampaigns(database) };
    return cached.campaigns;
  };
}

function answerFailure(error: unknown): Answer {
  if (error instanceof TurnedAway) return plainText(error.message, error.status, error.headers);
  if (error instanceof Failure) return plainText(`${error.message} Nothing was recorded.`, 500);
  console.error(error);
  return plainText('The tracker failed, and nothing was recorded; see its log.', 500);
}
