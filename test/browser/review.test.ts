import { describe, expect, test } from 'vitest';
import { changeResult, hostileName, resultOf, reviewResult } from './results.ts';
import { boxesOf, change, chart, columnTexts, focus, narrow, review, showResult } from './show-view.ts';

describe('a review', () => {
  test('is a checklist that works by keyboard, with a count of checked findings', async () => {
    const { page, view } = await showResult(review);
    const first = view.getByRole('checkbox').first();
    await view.getByText('0 of 2 done').waitFor();
    await focus(first);
    await page.keyboard.press('Space');
    await view.getByText('1 of 2 done').waitFor();
    expect(await first.isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    const copy = view.getByRole('button').first();
    expect(await copy.evaluate((node) => node.matches(':focus-visible'))).toBe(true);
  });

  test('shows for each finding its money per day, start, novelty and certainty', async () => {
    const { view } = await showResult(review);
    await view.getByRole('listitem').first().waitFor();
    expect(await view.locator('.findings label').allTextContents()).toEqual([
      `51.50 a day “${hostileName}”: keyword “free videos”: cost 721 and earned 0 in 15 days`,
      '“Credit score, native”: one sale of 300 decides the week',
    ]);
    expect(await view.locator('.findings p').allTextContents()).toEqual([
      'new, since Sun 8 Nov 08:00, by chance 1 in 2,000',
      'since Mon 16 Nov 08:00, not by chance',
    ]);
    const texts = await view.locator('h2, pre').allTextContents();
    expect(texts.slice(0, 4)).toEqual([
      ...['It costs you', 'Do not trust this figure'],
      ...['To block at the traffic source, campaign 1, keyword', 'free videos'],
    ]);
    await view.getByText('3 more findings.').waitFor();
    await view.getByText('Days until 2026-11-10 could not be read whole').waitFor();
  });

  test('copies a question that a person would send, without text of strangers', async () => {
    const { page, view } = await showResult(review);
    await view.getByRole('button', { name: 'Copy the question' }).last().click();
    await view.getByText('Copied: Which offer').waitFor();
    await page.evaluate(() => document.body.appendChild(document.createElement('textarea')).focus());
    const field = page.locator('textarea');
    await field.press('Control+v');
    const asked = 'Which offer of “Credit score, native” earns most, and which shares should they get?';
    expect(await field.inputValue()).toBe(asked);
    const [first] = await view.locator('.next q').allTextContents();
    expect(first).toMatch(/^Show “.+” by keyword for the last 14 days: what is different since Sun 8 Nov 08:00\?$/);
    expect(first).not.toContain('free videos');
    await field.evaluate((node) => node.remove());
  });

  test.for([
    ['all was read', [], 'Everything was read. Nothing is clearly beyond chance.'],
    ['some was not', reviewResult.could_not_see, 'Nothing was found in what was read.'],
  ] as const)('without findings is a message: %s', async ([, unseen, text]) => {
    const { view } = await showResult({
      structuredContent: { ...reviewResult, findings: [], more: 0, could_not_see: [...unseen] },
    });
    await view.getByText(text).waitFor();
    expect(await view.locator('main .loss').allTextContents()).toEqual([...unseen]);
    expect(await view.getByRole('checkbox').count()).toBe(0);
  });

  test('fits 320 px', async () => {
    const { view } = await showResult(review, {}, narrow);
    await view.getByRole('listitem').first().waitFor();
    expect(await view.locator('html').evaluate((node) => node.scrollWidth)).toBe(320);
  });
});

describe('a change', () => {
  test('is a waterfall from the earlier profit to the later one', async () => {
    const { view } = await showResult(change);
    await view
      .getByRole('heading', { name: `Profit fell by 90.00: −158.00 because ${changeResult.causes[0]?.what}` })
      .waitFor();
    const drawn = view.getByRole('img', { name: /^Profit by cause/ });
    await drawn.waitFor();
    const [, label = ''] = (await drawn.getAttribute('aria-label'))?.split('. 9') ?? [];
    // The sentence of a cause is above; here it would be cut.
    expect(label).not.toContain('stopped getting visits');
    expect(label.match(/: [+−]?[\d.]+(?=;|$)/g)).toEqual([': 120.00', ': −158.00', ': +50.00', ': +18.00', ': 30.00']);
    const [then, fall, rise, others, now] = await boxesOf(drawn.locator('.bar'));
    if (!then || !fall || !rise || !others || !now) throw new Error('Bars are missing.');
    expect(fall.right).toBeCloseTo(then.right, 0);
    expect(rise.left).toBeCloseTo(fall.left, 0);
    expect(others.left).toBeCloseTo(rise.right, 0);
    expect(now.right).toBeCloseTo(others.right, 0);
    expect(now.left).toBeCloseTo(then.left, 0);
    const colors = await drawn.locator('.bar').evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).fill));
    const [sum, loss, gain] = colors;
    expect(new Set([sum, loss, gain]).size).toBe(3);
    expect(colors).toEqual([sum, loss, gain, gain, sum]);
  });

  test('has a sentence per cause, the part of chance, and the values below', async () => {
    const { view } = await showResult(change);
    await chart(view).waitFor();
    expect(await view.locator('.reason p').allTextContents()).toEqual([
      '+18.00 from everything else',
      `+50.00 because ${changeResult.causes[1]?.what}`,
      'Normal variation is up to 45.50 either way (19 times in 20): this is more.',
    ]);
    expect(await columnTexts(view, 2)).toEqual(['−158.00', '60.00']);
    await view.getByText('against 9 – 15 Nov 2026').waitFor();
    await view.getByRole('heading', { name: 'Changed by this server' }).waitFor();
  });

  test('names in its title only what carries the larger part', async () => {
    const [first] = changeResult.causes;
    const small = {
      ...changeResult,
      causes: first ? [{ ...first, change: -20, carried: -20 }] : [],
      other_visits: -70,
    };
    const { view, result } = await showResult(resultOf(small));
    await view.getByRole('heading', { name: 'Profit fell by 90.00, mostly by visits (−70.00)', exact: true }).waitFor();
    const [larger] = await view.locator('.reason p').allTextContents();
    expect(larger).toBe('−70.00 from everything else');
    const factors = changeResult.factors.map((factor) => ({ ...factor, effect: -30 }));
    await result(resultOf({ ...small, factors }));
    await view.getByRole('heading', { name: 'Profit fell by 90.00', exact: true }).waitFor();
  });

  test('without a cause calls all visits alike, and shows no empty table', async () => {
    const empty = { causes: [], other_visits: -90, changes: [], values: { ...changeResult.values, rows: [] } };
    const { view } = await showResult(resultOf({ ...changeResult, ...empty }));
    await chart(view).waitFor();
    expect(await chart(view).getAttribute('aria-label')).toContain('all visits alike: −90.00');
    expect(await view.getByRole('table').count()).toBe(0);
  });
});
