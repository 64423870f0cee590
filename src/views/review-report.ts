import { currencyOf } from '../analysis/columns/formats.ts';
import {
  blockHeading,
  chanceOfFinding,
  moneyOfFinding,
  moreFindings,
  nothingFound,
  underHeadings,
} from '../answer/findings.ts';
import type { AccountReview } from '../tools/account-tools.ts';
import type { ForView } from '../tools/present/for-views.ts';
import { describeColumns } from './columns.ts';
import { element, header, remarksAndDetails } from './parts.ts';

type Finding = AccountReview['findings'][number];

/** Shows what needs attention as a checklist. Only this page knows what is checked. */
export function reviewReport(
  { query, as_of, findings, more, to_block = [], could_not_see: unseen, notices }: AccountReview,
  { remarks }: ForView,
): readonly Node[] {
  const currency = currencyOf(query);
  const [profit] = describeColumns(
    ['Profit'],
    findings.map(({ money_a_day }) => [money_a_day]),
    {
      units: currency === undefined ? {} : { Profit: currency },
    },
  );
  const status = element('p', { class: 'extent', role: 'status' });
  const show = (amount: number) => profit?.format(amount) ?? '';
  const lists = element(
    'div',
    {},
    ...underHeadings(findings).flatMap(({ heading, findings: ofGroup }) => [
      element('h2', {}, heading),
      element(
        'ol',
        { class: 'findings' },
        ...ofGroup.map((finding) => item(finding, moneyOfFinding(finding, show), status)),
      ),
    ]),
  );
  const count = () => {
    status.textContent = `${lists.querySelectorAll(':checked').length} of ${findings.length} done`;
  };
  lists.addEventListener('change', count);
  count();
  return [
    header('What needs attention', {}, `as of ${as_of}`),
    ...unseen.map((text) => element('p', { class: 'loss' }, text)),
    ...(findings.length === 0 ? [element('p', { class: 'empty' }, nothingFound(unseen))] : [status, lists]),
    ...(more > 0 ? [element('p', { class: 'extent' }, moreFindings(more))] : []),
    ...to_block.flatMap(({ campaign_id, dimension, values }) => [
      element('h2', {}, blockHeading(campaign_id, dimension)),
      element('pre', {}, values.join('\n')),
    ]),
    ...remarksAndDetails({ query, notices, remarks }),
  ];
}

function item(finding: Finding, money: string, status: HTMLElement): Node {
  const { what, since, by_chance, is_new, is_over } = finding;
  const question = element('q', {}, questionOf(finding));
  const copy = element('button', { type: 'button' }, 'Copy the question');
  copy.addEventListener('click', () => {
    getSelection()?.selectAllChildren(question);
    // Most hosts bar their frames from the clipboard interface, but not from this.
    const isCopied = document.execCommand('copy');
    status.textContent = isCopied ? `Copied: ${question.textContent}` : 'The question is selected: copy it with a key';
  });
  return element(
    'li',
    {},
    element(
      'label',
      {},
      element('input', { type: 'checkbox' }),
      element('span', {}, ...(money === '' ? [] : [element('strong', {}, money), ' ']), what),
    ),
    element(
      'p',
      { class: 'extent' },
      `${is_over ? 'over, ' : is_new ? 'new, ' : ''}since ${since}${chanceOfFinding(by_chance)}`,
    ),
    element('div', { class: 'next' }, question, copy),
  );
}

/**
 * What a person would ask next. It names the campaign and what it is cut by, and no value: keywords and the like were typed in by
 * strangers, and the question is the person's own words.
 */
function questionOf({ campaign, since, next: { tool, arguments: given } }: Finding): string {
  const subject = campaign === undefined ? 'my account' : `“${campaign}”`;
  const words = (value: unknown) => [value].flat().join(' and ').replaceAll('_', ' ');
  const days = given['period'] === undefined ? '' : ` for ${words(given['period']).replace('last', 'the last')}`;
  if (tool === 'compare_pages') {
    const kind = given['kind'] === 'offer' ? 'offer' : 'landing page';
    return `Which ${kind} of ${subject} earns most, and which shares should they get?`;
  }
  if (tool === 'explain_change') return `Why did the profit of ${subject} change since ${since}?`;
  const cut = given['by'] ?? given['reports'];
  const what =
    tool === 'list_conversions' ? `the conversions of ${subject}` : `${subject}${cut ? ` by ${words(cut)}` : ''}`;
  return `Show ${what}${days}: what is different since ${since}?`;
}
