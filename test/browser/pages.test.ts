import { describe, expect, test } from 'vitest';
import { pagesResult, resultOf, sharesResult } from './results.ts';
import { boxesOf, columnTexts, pages, shares, show, showResult } from './show-view.ts';

describe('a rotation', () => {
  test('shows the old and the new share of each page, and that nothing was sent', async () => {
    const { view } = await showResult(shares);
    await view.getByRole('heading', { level: 1, name: 'Not sent: this is a dry run' }).waitFor();
    const drawn = view.getByRole('img', { name: /^Share of the traffic/ });
    expect(await drawn.locator('.reference').count()).toBe(2);
    expect(await drawn.locator('.bar').count()).toBe(2);
    expect(await drawn.locator('.value').allTextContents()).toEqual(['50% → 11.1%', '50% → 88.9%']);
    expect(await columnTexts(view, 1)).toContain('page 5');
  });

  test('shows the ID of a change', async () => {
    const done = { ...sharesResult, dry_run: false, done: true, change_id: 'c7', notices: [] };
    const { view } = await showResult({ structuredContent: done, _meta: { 'tracker-mcp/campaign': 'Solar' } });
    await view.getByRole('heading', { level: 1, name: 'The shares are set' }).waitFor();
    expect(await view.locator('.about').textContent()).toBe('Solarchange c7');
  });
});

describe('a comparison of pages', () => {
  test('has the decision in one line, and the reason under it', async () => {
    const { view, result } = await show();
    await view.getByText('Waiting for the tracker').waitFor();
    await result(pages);
    await view.getByRole('heading', { level: 1, name: 'Solar quotes earns most', exact: true }).waitFor();
    const [reason, costs] = await view.locator('.reason p').allTextContents();
    expect(reason).toBe('0.5887 per view, best with a chance of about 49 in 50.');
    expect(costs).toContain('today’s split gives away 24 a day');
  });

  test.for([
    ['in two parts, if the host passes them on', { verdict: 'a: b earns most', reason: 'so far.' }, 'So far.'],
    ['whole, if not', undefined, undefined],
  ] as const)('shows the decision %s', async ([_, headline, reason]) => {
    const { view } = await showResult({ ...pages, _meta: { 'tracker-mcp/headline': headline } });
    const title = headline?.verdict ?? pagesResult.decision.text;
    await view.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    const [shown] = await view.locator('.reason p:not(.costs)').allTextContents();
    expect(shown).toBe(reason);
  });

  test('draws each page in its interval from 0, and its new share with a mark at the old one', async () => {
    const { view } = await showResult(pages);
    const earnings = view.getByRole('img', { name: /^Earnings per view/ });
    expect(await earnings.getAttribute('aria-label')).toContain('Solar quotes: 0.589 (0.492 to 0.690)');
    const dots = await boxesOf(earnings.locator('.dot'));
    const lines = await boxesOf(earnings.locator('.interval'));
    expect(dots.length).toBe(2);
    dots.forEach((dot, index) => {
      expect(lines[index]?.left).toBeLessThan(dot.left);
      expect(lines[index]?.right).toBeGreaterThan(dot.right);
    });
    const drawn = view.getByRole('img', { name: /^Share of the traffic/ });
    const [plot] = await boxesOf(drawn.locator('.plot'));
    const [at, recommended] = await Promise.all([boxesOf(drawn.locator('.reference')), boxesOf(drawn.locator('.bar'))]);
    const partOf = (pixels: number) => pixels / (plot?.width ?? 0);
    expect(recommended.map(({ width }) => partOf(width))).toEqual([expect.closeTo(0.9, 2), expect.closeTo(0.1, 2)]);
    expect(at.map(({ left }) => partOf(left - (plot?.left ?? 0)))).toEqual([0.5, 0.5].map((x) => expect.closeTo(x, 2)));
    expect(await drawn.locator('.value').allTextContents()).toEqual(['50% → 90%', '50% → 10%']);
  });

  test('lists the calls that would set the shares under Details, without a button to run them', async () => {
    const { view } = await showResult(pages);
    const calls = view.locator('details.details code');
    await calls.first().waitFor({ state: 'attached' });
    expect(await calls.first().isVisible()).toBe(false);
    expect(await calls.allTextContents()).toEqual([
      'edit_campaign_page {"campaign_id":4,"page_id":12,"share":90}',
      'edit_campaign_page {"campaign_id":4,"page_id":7,"share":10}',
    ]);
    const buttons = await view.getByRole('button').allTextContents();
    expect(buttons).toEqual(['All 15 columns', ...(await view.getByRole('columnheader').allTextContents())]);
  });

  test('shows present shares in percent, and a currency only if the server names one', async () => {
    const shares = [300, 100];
    const weighed = pagesResult.pages.map((page, index) => ({ ...page, share: shares[index] ?? null }));
    const { view, result } = await showResult(resultOf({ ...pagesResult, pages: weighed }));
    const shown = view.getByRole('img', { name: /^Share of the traffic/ });
    expect(await shown.getAttribute('aria-label')).toContain('Solar quotes: 90%, now 75%');
    expect(await view.locator('main').textContent()).not.toMatch(/[$€]/);
    await result(resultOf({ ...pagesResult, query: { ...pagesResult.query, currency: 'EUR' } }));
    await view.getByRole('img', { name: /Solar quotes: €0\.589/ }).waitFor();
    await view.getByText('gives away 24 EUR a day').waitFor();
    const decision = { ...pagesResult.decision, basis: 'conversions' };
    await result(resultOf({ ...pagesResult, decision }));
    await view.getByRole('img', { name: /^Conversions per view. Solar quotes: 2.82%/ }).waitFor();
  });

  test('names weights and percentages, and rounds no chance to 0% or 100%', async () => {
    const chances = [1, 0];
    const sure = pagesResult.pages.map((page, index) => ({ ...page, probability_best: chances[index] ?? null }));
    const { view } = await showResult(resultOf({ ...pagesResult, pages: sure }));
    await view.getByRole('button', { name: 'All 15 columns' }).click();
    const heads = await view.getByRole('columnheader').allTextContents();
    const cellsOf = (name: string) => columnTexts(view, heads.indexOf(name) + 1);
    expect(await cellsOf('Chance to be best')).toEqual(['>99%', '<1%']);
    expect(await cellsOf('Traffic now')).toEqual(['50%', '50%']);
    expect(await cellsOf('Traffic recommended')).toEqual(['90%', '10%']);
    expect(await cellsOf('Weight now')).toEqual(['50', '50']);
    expect(heads.filter((name) => /share/i.test(name))).toEqual([]);
  });

  test('has an axis from 0 with the currency', async () => {
    const query = { ...pagesResult.query, currency: 'EUR' };
    const { view } = await showResult(resultOf({ ...pagesResult, query }));
    const drawn = view.getByRole('img', { name: /^Earnings per view/ });
    expect(await drawn.locator('.ticks span').allTextContents()).toEqual(['€0', '€0.2', '€0.4', '€0.6']);
  });

  test('recommends no shares if it is too early', async () => {
    const decision = { ...pagesResult.decision, verdict: 'too early' };
    const { view } = await showResult(resultOf({ ...pagesResult, decision, calls: [] }));
    await view.getByRole('img', { name: /^Earnings per view/ }).waitFor();
    expect(await view.getByRole('img', { name: /^Share of the traffic/ }).count()).toBe(0);
    expect(await view.getByRole('columnheader', { name: 'Traffic recommended' }).count()).toBe(0);
  });

  test('shows only recommended shares if the present ones are unknown', async () => {
    const unknown = pagesResult.pages.map((page) => ({ ...page, share: null }));
    const { view } = await showResult(resultOf({ ...pagesResult, pages: unknown, calls: [] }));
    const shown = view.getByRole('img', { name: /^Share of the traffic/ });
    await shown.waitFor();
    expect(await shown.locator('.bar').count()).toBe(2);
    expect(await shown.locator('.reference').count()).toBe(0);
    expect(await view.locator('details.details code').count()).toBe(0);
  });
});
