import type { EndpointArguments, EndpointName, endpoints } from '../api/endpoints.ts';
import type { WriteRequest } from './write.ts';

type AddingEndpoint = Extract<(typeof endpoints)[number], { readonly access: 'create' }>['name'];

/** A tool, and the argument for the record's ID. */
type SwitchOff = {
  [Tool in EndpointName]: { readonly tool: Tool; readonly id: keyof EndpointArguments<Tool> };
}[EndpointName];

/** How to undo an addition: the API cannot delete, so the record is switched off. A missing endpoint is a type error. */
const switchOff: Readonly<Record<AddingEndpoint, SwitchOff>> = {
  add_landing_page: { tool: 'edit_landing_page', id: 'landing_page_id' },
  add_offer: { tool: 'edit_offer', id: 'offer_id' },
  add_landing_page_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
  add_offer_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
};

/** How to switch off the record that a tool added; undefined for a tool that adds nothing. */
export function switchOffFor(tool: string): SwitchOff | undefined {
  return Object.entries(switchOff).find(([name]) => name === tool)?.[1];
}

/**
 * The tools that may send a request. At least one of them must be offered.
 *
 * @param undone the tools of the change that the request undoes
 */
export function toolsThatMaySend({ endpoint, arguments: given }: WriteRequest, undone: readonly string[]): string[] {
  const names = Object.keys(given);
  const setsOnly = (...allowed: readonly string[]) => names.every((name) => allowed.includes(name));
  const isShare = endpoint.name === 'edit_campaign_page' && setsOnly('campaign_id', 'page_id', 'share');
  return [
    endpoint.name,
    ...(isShare ? ['set_shares'] : []),
    ...undone.filter((tool) => {
      const off = switchOffFor(tool);
      return off?.tool === endpoint.name && given['active'] === false && setsOnly('campaign_id', off.id, 'active');
    }),
  ];
}
