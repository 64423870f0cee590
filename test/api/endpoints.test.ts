import { expect, test } from 'vitest';
import { type Endpoint, encodeParameter, endpoints } from '../../src/api/endpoints.ts';

const all: readonly Endpoint[] = endpoints;

function encode(endpointName: string, argument: string, value: unknown): string | undefined {
  const parameter = all.find(({ name }) => name === endpointName)?.parameters[argument];
  if (!parameter) throw new Error(`no ${argument} of ${endpointName}`);
  return encodeParameter(parameter, value);
}

test('each endpoint has its own name and path', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
  for (const { path } of all) expect(path).toMatch(/^[a-z]+(\/[a-z]+)?$/);
});

test('a wire name stands for one argument only', () => {
  for (const { name, parameters } of all) {
    const wireNames = Object.values(parameters).map(({ wire }) => wire);
    expect(new Set(wireNames).size, name).toBe(wireNames.length);
    for (const taken of ['key', 'format']) expect(wireNames, name).not.toContain(taken);
  }
});

test('every rule names existing arguments', () => {
  for (const { name, parameters, rules } of all) {
    for (const { kind: _, ...parts } of rules) {
      for (const argument of Object.values(parts).flat()) expect(Object.keys(parameters), name).toContain(argument);
    }
  }
});

test.each([
  ['edit_offer', 'active', true, '0'],
  ['edit_offer', 'active', false, '1'],
  ['list_campaigns', 'status', 'all', undefined],
  ['list_campaigns', 'status', 'active', '1'],
  ['list_campaigns', 'status', 'inactive', '0'],
  ['get_stats', 'include_extra_tokens', true, '1'],
  ['get_stats', 'include_extra_tokens', false, undefined],
  ['get_stats', 'reports', ['offer', 'landing'], 'offer,landing'],
  ['get_stats', 'group_by', ['Keyword', 'Extra1'], 'Keyword,Extra1'],
  ['list_visitors', 'campaign_id', 0, '0'],
  ['edit_campaign', 'pass_subid_to_offer', true, '1'],
  ['edit_campaign', 'pass_subid_to_offer', false, '0'],
  ['edit_campaign', 'bid', 0.015, '0.015'],
  ['edit_campaign', 'bid', 1e-7, '0.0000001'],
  ['edit_campaign', 'bid', 1_000_000, '1000000'],
  ['edit_campaign_page', 'share', 33.3, '33.3'],
  ['edit_landing_page', 'notes', '', ''],
])('%s puts %s %j on the wire as %j', (endpoint, argument, value, text) => {
  expect(encode(endpoint, argument, value)).toBe(text);
});
