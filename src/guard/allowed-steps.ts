import type { EndpointArguments, EndpointName, endpoints } from '../api/endpoints.ts';
import type { WriteRequest } from './write.ts';

/** The endpoints that add a record. */
type AddingEndpoint = Extract<(typeof endpoints)[number], { readonly access: 'create' }>['name'];

/** A tool, and its argument that names a record. */
type Naming = {
  [Tool in EndpointName]: { readonly tool: Tool; readonly id: keyof EndpointArguments<Tool> };
}[EndpointName];

/** What takes an addition back: the API cannot delete, so the record is switched off. An endpoint that is left out is a type error. */
const switchOff: Readonly<Record<AddingEndpoint, Naming>> = {
  add_landing_page: { tool: 'edit_landing_page', id: 'landing_page_id' },
  add_offer: { tool: 'edit_offer', id: 'offer_id' },
  add_landing_page_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
  add_offer_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
};

/** How what a tool added is switched off; undefined for a tool that adds nothing. */
export function switchOffOf(tool: string): Naming | undefined {
  return Object.entries(switchOff).find(([name]) => name === tool)?.[1];
}

/** Tools that send writes of another tool's endpoint: which, and no more of its arguments than these. */
const derived = [
  { tool: 'set_shares', sends: 'edit_campaign_page', arguments: ['campaign_id', 'page_id', 'share'] },
] as const satisfies readonly { tool: string; sends: EndpointName; arguments: readonly string[] }[];

/** The tools of which one must be offered for a request to be sent. `undone`: the tools of the writes that it takes back. */
export function toolsThatMaySend({ endpoint, arguments: given }: WriteRequest, undone: readonly string[]): string[] {
  const names = Object.keys(given).filter((name) => name !== 'dry_run');
  const sets = (allowed: readonly string[]) => names.every((name) => allowed.includes(name));
  return [
    endpoint.name,
    ...derived.filter((other) => other.sends === endpoint.name && sets(other.arguments)).map(({ tool }) => tool),
    ...undone.filter((tool) => {
      const off = switchOffOf(tool);
      const { active } = given;
      return off?.tool === endpoint.name && active === false && sets(['campaign_id', off.id, 'active']);
    }),
  ];
}
