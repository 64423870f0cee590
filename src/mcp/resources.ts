import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Endpoint, endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromTracker, quoted, rawText, shown, shownNames } from '../api/text/tracker-text.ts';
import { callTool } from '../tools/call-tool.ts';
import { listCampaigns } from '../tools/campaigns.ts';
import { type CallContext, type Tool, timed } from '../tools/define-tool.ts';
import { renderToLimit } from '../tools/fit.ts';
import type { NamedTracker, Trackers } from '../tools/trackers.ts';
import type { TrackersFor } from './call-context.ts';
import type { Skills } from './skills.ts';
import { listViews, readView, type ViewSupport } from './views.ts';

/** The content of a resource: `render` writes its first `count` parts, in case not all fit. */
interface Content {
  readonly count: number;
  readonly render: (count: number) => string;
  /** How to get the parts that did not fit. */
  readonly more: string;
}

function shortText(text: string): Content {
  return { count: 0, render: () => text, more: '' };
}

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** What it reads from the tracker; if the guard does not offer that, the resource is neither listed nor read. */
  readonly endpoint?: Endpoint;
  readonly read: (context: CallContext, tools: readonly Tool[]) => Promise<Content>;
}

const resources: readonly Resource[] = [
  {
    uri: 'tracker://campaigns',
    name: 'campaigns',
    title: 'Campaigns',
    description: 'All campaigns with ID and name',
    mimeType: 'application/json',
    endpoint: endpointNamed('list_campaigns'),
    read: async ({ client, signal }) => {
      const campaigns = await listCampaigns(client, signal);
      const listed = campaigns.map(({ id, name }) => ({ id: shown(id), name: shown(name) || null }));
      return {
        count: listed.length,
        render: (count) => JSON.stringify(listed.slice(0, count)),
        more: 'list_campaigns has them all, with offset.',
      };
    },
  },
  {
    uri: 'tracker://traffic-sources',
    name: 'traffic-sources',
    title: 'Traffic sources',
    description: 'All traffic sources with their tokens',
    mimeType: 'application/json',
    endpoint: endpointNamed('list_traffic_sources'),
    read: (context, tools) => readWithTool('list_traffic_sources', context, tools),
  },
  {
    uri: 'tracker://glossary',
    name: 'glossary',
    title: 'Glossary of metrics',
    description: 'What the columns of the reports mean, with formulas',
    mimeType: 'text/markdown',
    read: async () => shortText(glossary()),
  },
  {
    uri: 'tracker://time-zones',
    name: 'time-zones',
    title: 'Time zones',
    description: 'The named time zones that reports can be asked in',
    mimeType: 'text/plain',
    read: async () => shortText(['UTC', ...Intl.supportedValuesOf('timeZone')].join('\n')),
  },
];

const campaignTemplate = {
  uriTemplate: 'tracker://campaigns/{campaign_id}',
  name: 'campaign',
  title: 'One campaign',
  description: 'Everything the tracker lists about one campaign',
  mimeType: 'application/json',
};
const campaignEndpoint = endpointNamed('list_campaigns');

interface ResourceServing {
  readonly tools: readonly Tool[];
  readonly skills: Skills;
  readonly trackersFor: TrackersFor;
  readonly viewsOf: (request: ServerContext) => ViewSupport;
}

export function serveResources(server: Server, { tools, skills, trackersFor, viewsOf }: ResourceServing): void {
  server.setRequestHandler('resources/list', (_, request) => {
    const { trackers } = trackersFor(request);
    const listed = resources.flatMap(({ read: _, endpoint, ...resource }) =>
      endpoint ? trackers.thatOffer(endpoint).map((tracker) => addressFor(tracker, resource, trackers)) : [resource],
    );
    return { resources: [...listed, ...skills.list(request), ...listViews(viewsOf(request))] };
  });
  server.setRequestHandler('resources/templates/list', (_, request) => {
    const { trackers } = trackersFor(request);
    if (trackers.thatOffer(campaignEndpoint).length === 0) return { resourceTemplates: [] };
    const { uriTemplate } = campaignTemplate;
    const template = trackers.only ? uriTemplate : uriTemplate.replace('://', '://{tracker}/');
    return { resourceTemplates: [{ ...campaignTemplate, uriTemplate: template }] };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, request): Promise<ReadResourceResult> => {
    const view = viewsOf(request) === 'none' ? undefined : await readView(uri);
    const page = view ?? (await skills.read(uri, request));
    if (page) return page;
    const { trackers, contextForCall } = trackersFor(request);
    const { plainUri, tracker } = parseUri(uri, trackers);
    const resource = findResource(plainUri, uri);
    // A resource that reads no tracker is the same for all.
    const source = tracker ?? (resource?.endpoint ? undefined : trackers.all[0]);
    if (!resource || !source) throw notFound(uri);
    const { endpoint, mimeType, read } = resource;
    const context = timed(contextForCall(source.context));
    try {
      if (endpoint) context.guard.checkOffered(endpoint);
      const { count, render, more } = await read(context, tools);
      const withNotice = ([kept = 0]: readonly number[]) => [
        render(kept),
        ...(kept < count ? [`${count - kept} of ${count} did not fit: ${more}`] : []),
      ];
      const texts = renderToLimit([{ count, min: 0 }], withNotice, (texts) => texts.join('').length);
      const [text = '', ...notices] = context.client.withoutKey(texts);
      return {
        contents: [
          { uri, mimeType, text },
          ...notices.map((notice) => ({ uri, mimeType: 'text/plain', text: notice })),
        ],
      };
    } catch (error) {
      if (error instanceof Failure) throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
      throw error;
    }
  });
}

type Description = Omit<Resource, 'read' | 'endpoint'>;

/** With several trackers, tracker://campaigns becomes tracker://NAME/campaigns for each. */
function addressFor({ name }: NamedTracker, resource: Description, trackers: Trackers): Description {
  if (trackers.only) return resource;
  return {
    ...resource,
    uri: resource.uri.replace('://', `://${name}/`),
    name: `${name}-${resource.name}`,
    title: `${resource.title} of ${name}`,
  };
}

/** Splits an address into the tracker that it names and the address without the name. */
function parseUri(uri: string, trackers: Trackers): { plainUri: string; tracker: NamedTracker | undefined } {
  if (trackers.only) return { plainUri: uri, tracker: trackers.only };
  const [, name = '', rest = ''] = /^tracker:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
  const tracker = trackers.find(name);
  return { plainUri: tracker ? `tracker://${rest}` : uri, tracker };
}

/** @param fullUri the address that errors name */
function findResource(uri: string, fullUri: string): Pick<Resource, 'mimeType' | 'endpoint' | 'read'> | undefined {
  const id = /^tracker:\/\/campaigns\/([1-9]\d*)$/.exec(uri)?.[1];
  if (id === undefined) return resources.find((resource) => resource.uri === uri);
  return {
    mimeType: campaignTemplate.mimeType,
    endpoint: campaignEndpoint,
    read: async ({ client, signal }) => {
      const campaign = (await listCampaigns(client, signal)).find((listed) => rawText(listed.id) === id);
      if (!campaign) throw notFound(fullUri);
      const fields = campaign.fields.filter(([, value]) => value !== null);
      const names = shownNames(fields.map(([name]) => name));
      const entries = fields.map(
        ([, value], index) => [names[index] ?? '', value === null ? null : shown(value)] as const,
      );
      return {
        count: entries.length,
        render: (count) => JSON.stringify(Object.fromEntries(entries.slice(0, count))),
        more: 'list_campaigns has them all, with columns.',
      };
    },
  };
}

function notFound(uri: string): ResourceNotFoundError {
  const shortUri = uri.slice(0, maxNameLength);
  return new ResourceNotFoundError(shortUri, `There is no resource ${quoted(fromTracker(uri), maxNameLength)}.`);
}

async function readWithTool(name: string, context: CallContext, tools: readonly Tool[]): Promise<Content> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Failure(`${name} is not offered by this server.`);
  const { structured } = await callTool(tool, { limit: 500 }, context);
  return shortText(JSON.stringify(structured['tables']));
}

/** What the columns of the reports mean, in the field's own words. */
const terms: readonly (readonly [term: string, meaning: string])[] = [
  ['Views', 'Visitors who arrived from the ad; in the landing and offer reports those who reached the page'],
  ['Clicks', 'Clicks on the landing page’s call to action'],
  ['Subscribers', 'Visitors who opted in'],
  ['Conversions', 'Sales or leads that the network reported'],
  ['Cost', 'What the visits cost: the cost the link carries, or the campaign’s bid if it carries none'],
  ['Revenue', 'What the conversions paid'],
  ['Profit (P/L)', 'Revenue - Cost'],
  ['CTR', 'Clicks / Views x 100, in percent'],
  ['CR', 'Conversions / Clicks x 100, in percent'],
  ['CPV', 'Cost / Views'],
  ['CPC', 'Cost / Clicks'],
  ['EPV', 'Revenue / Views'],
  ['EPC', 'Revenue / Clicks'],
  ['PPV', '(Revenue - Cost) / Views'],
  ['ROI', '(Revenue - Cost) / Cost x 100, in percent'],
  ['CPA', 'Cost / Conversions'],
  ['CPSUB', 'Cost / Subscribers'],
  [
    'SubID',
    'The mark of one visit: random letters and digits, campaign ID and click ID, joined by _; its last part is the ClickID',
  ],
  ['Share', 'A page’s part of the traffic among the active pages of the same level, path or option group'],
  ['Postback', 'The request by which a network reports a conversion'],
];

function glossary(): string {
  return terms.map(([term, meaning]) => `- **${term}**: ${meaning}.`).join('\n');
}
