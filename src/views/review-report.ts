import { currencyOf } from '../analysis/columns/formats.ts';
import { moneyOfFinding, underHeadings } from '../answer/findings.ts';
import { blockHeading, chanceOfFinding, type ForView, nothingFound } from '../tools/present/for-views.ts';
import type { AccountReview } from '../tools/review-account.ts';
import { describeColumns } from './columns.ts';
import { callText, element, header, remarksAndDetails } from './parts.ts';

type Finding = AccountReview['findings'][number];

/** Shows what needs a person as a checklist. Only this page knows what is checked. */
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
    header('What needs a person', {}, `as of ${as_of}`),
    ...unseen.map((text) => element('p', { class: 'loss' }, text)),
    ...(findings.length === 0 ? [element('p', { class: 'empty' }, nothingFound(unseen))] : [status, lists]),
    ...(more > 0 ? [element('p', { class: 'extent' }, `${more} more findings.`)] : []),
    ...to_block.flatMap(({ campaign_id, dimension, values }) => [
      element('h2', {}, blockHeading(campaign_id, dimension)),
      element('pre', {}, values.join('\n')),
    ]),
    ...remarksAndDetails({ query, notices, remarks }),
  ];
}

function item({ what, since, by_chance, is_new, is_over, next }: Finding, money: string, status: HTMLElement): Node {
  // Lines break between arguments, not within words.
  const parts = callText(next).split(/(?<=[,:{])/);
  const code = element('code', {}, ...parts.flatMap((part) => [part, element('wbr')]));
  const copy = element('button', { type: 'button', class: 'copy' }, 'Copy the call');
  copy.addEventListener('click', () => {
    getSelection()?.selectAllChildren(code);
    // Most hosts bar their frames from the clipboard interface, but not from this.
    const isCopied = document.execCommand('copy');
    status.textContent = isCopied ? `Copied: ${next.tool}` : 'The call is selected: copy it with a key';
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
      `${is_over ? 'over, ' : is_new ? 'new, ' : ''}since ${since}, ${chanceOfFinding(by_chance)}`,
    ),
    element('div', { class: 'next' }, code, copy),
  );
}
