import { expect, test } from 'vitest';
import type { Question } from '../../../../src/client/decode/decode.ts';
import { type Body, readTables } from '../read.ts';
import { attributes, elements } from '../render.ts';

const offer = {
  name: 'offer',
  columns: ['Offer', 'Clicks', 'Revenue'],
  rows: [
    ['Keto A', '12', '$1,234.50'],
    ['Keto B', '0', '$0.00'],
  ],
};
const landing = { name: 'landing', columns: ['Page', 'CTR'], rows: [['LP 1', '12.5%']] };
const recordsOf = (table: { columns: string[]; rows: string[][] }) =>
  table.rows.map((row) => Object.fromEntries(table.columns.map((column, index) => [column, row[index]])));
const offers = recordsOf(offer);
const pages = recordsOf(landing);

const askedFor = (...reports: string[]): Question => ({ reply: 'reports', reports });

const shapes: Record<string, Body> = {
  'keyed by name': { offer: offers, landing: pages },
  'keyed by name under Reports': { Status: 'OK', Reports: { offer: offers, landing: pages } },
  'keyed four wrappers deep': { response: { data: { stats: { reports: { Offer: offers, Landing: pages } } } } },
  'keyed by long names': { data: { 'Offer Performance': offers, 'Landing Page Performance': pages } },
  'keyed by snake case names': { data: { offer_report: offers, landing_page_report: pages } },
  'each with rows': { offer: { rows: offers }, landing: { rows: pages } },
  'each with Status and Rows': { offer: { Status: 'OK', Rows: offers }, landing: { Status: 'OK', Rows: pages } },
  'each with headers and data': {
    offer: { headers: offer.columns, data: offer.rows },
    landing: { headers: landing.columns, data: landing.rows },
  },
  'each with a header row': { offer: [offer.columns, ...offer.rows], landing: [landing.columns, ...landing.rows] },
  'each keyed by position': { offer: { 0: offers[0], 1: offers[1] }, landing: { 0: pages[0] } },
  'a list of report and rows': [
    { report: 'offer', rows: offers },
    { report: 'landing', rows: pages },
  ],
  'a list of name and data, wrapped': {
    status: 'ok',
    data: [
      { name: 'Offer Performance', data: offers },
      { name: 'Landing Page Performance', data: pages },
    ],
  },
  'a list of id, columns and rows': {
    reports: [
      { id: 'offer', columns: offer.columns, rows: offer.rows },
      { id: 'landing', columns: landing.columns, rows: landing.rows },
    ],
  },
  'a list with one report in each record': [{ offer: offers }, { landing: pages }],
  'inside their campaign': {
    campaign: { id: 7, name: 'Solo', reports: { offer: offers, landing: pages } },
  },
  'report elements with a name': `<?xml version="1.0"?><stats><report name="offer">${elements('row', offers)}</report><report name="landing">${elements('row', pages)}</report></stats>`,
  'report elements with a type': `<stats><report type="offer">${elements('item', offers)}</report><report type="landing">${elements('item', pages)}</report></stats>`,
  'report elements with a name element': `<Response><Reports><Report><Name>offer</Name><Rows>${elements('Row', offers)}</Rows></Report><Report><Name>landing</Name><Rows>${elements('Row', pages)}</Rows></Report></Reports></Response>`,
  'elements called like the reports': `<Response><Status>OK</Status><Reports><offer>${elements('Row', offers)}</offer><landing>${elements('Row', pages)}</landing></Reports></Response>`,
  'plural and singular': `<stats><offers>${elements('offer', offers)}</offers><landings>${elements('landing', pages)}</landings></stats>`,
  'attributes only': `<stats><offers>${attributes('offer', offers)}</offers><landingPages>${attributes('landingPage', pages)}</landingPages></stats>`,
  'repeated elements without a wrapper': `<stats>${elements('offer', offers)}${elements('landing', pages)}</stats>`,
};

test.each(Object.entries(shapes))('two reports are found and named: %s', async (shape, body) => {
  const { tables, notices } = await readTables(body, askedFor('offer', 'landing'));
  expect(tables).toEqual([offer, landing]);
  if (shape !== 'inside their campaign') expect(notices).toEqual([]);
});

const shapesOfOne: Record<string, Body> = {
  'a bare array': offers,
  'Status and Rows': { Status: 'OK', Rows: offers },
  'status and data': { status: 'success', data: offers },
  'keyed by name': { offer: offers },
  'keyed by name, columns and data': { offer: { headers: offer.columns, data: offer.rows } },
  'one report next to its name': { report: 'offer', rows: offers },
  'a header row and lists': [offer.columns, ...offer.rows],
  'one report element': `<stats><report name="offer">${elements('row', offers)}</report></stats>`,
  'rows without a name': `<rows>${elements('row', offers)}</rows>`,
  'offers and offer': `<offers>${elements('offer', offers)}</offers>`,
};

const shapesOfOneRow: Record<string, Body> = {
  'a list of one': { landing: pages },
  'a record': { landing: pages[0] },
  'a row element': `<stats><report name="landing">${elements('row', pages)}</report></stats>`,
  'landings and landing': `<landings>${elements('landing', pages)}</landings>`,
  'attributes only': `<landings>${attributes('landing', pages)}</landings>`,
  'attributes of a row': `<stats><report name="landing">${attributes('row', pages)}</report></stats>`,
};

const empty: Record<string, Body> = {
  'an empty list': { offer: [] },
  'an empty record': { offer: {} },
  null: { offer: null },
  'empty text': { offer: '' },
  'no rows': { reports: [{ name: 'offer', rows: [] }] },
  'no rows under the name of the report': { report: 'offer', rows: [] },
  'nothing at all': { Status: 'OK', Reports: [] },
  'a bare empty list': '[]',
  'an empty element': '<stats><offer/></stats>',
  'an empty named element': '<stats><report name="offer"/></stats>',
  'an empty named element over lines': '<stats>\n  <report name="offer">\n  </report>\n</stats>',
};

const bodiesOf = (bodies: Record<string, Body>, table: object) =>
  Object.entries(bodies).map(([shape, body]) => [shape, body, { ...offer, ...table }] as const);

test.each([
  ...bodiesOf(shapesOfOne, offer),
  ...bodiesOf(shapesOfOneRow, landing),
  ...bodiesOf(empty, { columns: [], rows: [] }),
])('the only requested report is found: %s', async (_, body, table) => {
  const { tables, notices } = await readTables(body, askedFor(table.name));
  expect(tables).toEqual([table]);
  expect(notices).toEqual([]);
});

test('a missing report is named', async () => {
  const { tables, notices } = await readTables({ offer: offers, ad: [] }, askedFor('offer', 'ad', 'landing'));
  expect(tables.map(({ name }) => name)).toEqual(['offer', 'ad']);
  expect(notices).toEqual([{ code: 'missing-report', report: 'landing' }]);
});

test('reports under unknown names are separate tables', async () => {
  const country = { ...landing, name: 'By country' };
  const known = await readTables({ offer: offers, 'By country': pages }, askedFor('all'));
  expect(known.tables).toEqual([offer, country]);
  const unknown = await readTables({ data: { Angebote: offers, 'By country': pages } }, askedFor('all'));
  expect(unknown.tables).toEqual([{ ...offer, name: 'Angebote' }, country]);
});

test('totals and fields about the answer become remarks', async () => {
  const { tables, notices } = await readTables(
    { Status: 'OK', camp: '7', start: '2026-11-01', offer: { rows: offers, totals: { Clicks: 12 } } },
    askedFor('offer'),
  );
  expect(tables).toEqual([offer]);
  const fields = [
    ['camp', '7'],
    ['start', '2026-11-01'],
    ['totals', '{"Clicks":"12"}'],
  ];
  expect(notices).toEqual([{ code: 'sent-too', isWrite: false, fields }]);
});

test('a column called like a report is a column', async () => {
  const rows = [{ Campaign: 'Solo', Offer: '', Landing: 'LP 1', Views: 3 }];
  for (const body of [rows, { target: rows }, { data: { rows } }]) {
    const { tables } = await readTables(body, askedFor('target'));
    expect(tables).toEqual([
      { name: 'target', columns: ['Campaign', 'Offer', 'Landing', 'Views'], rows: [['Solo', null, 'LP 1', '3']] },
    ]);
  }
});
