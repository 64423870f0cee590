import { plainWord, plainWords, usersOf } from './headings.ts';

/** What a status says of a line: only approved ones are revenue. */
export type Standing = 'approved' | 'pending' | 'rejected';

/** The network of words on which all known networks agree. */
const everywhere = 'any';

/** Words for the status of a line, and the network that uses them so. `hold`, or a number, means different things elsewhere. */
export const statusWords: readonly (readonly [network: string, Standing, words: string])[] = [
  [everywhere, 'approved', 'approved, accepted, confirmed, validated, locked, paid, payable, closed, sale'],
  [everywhere, 'pending', 'pending, open, unconfirmed, in review, awaiting approval'],
  [
    everywhere,
    'rejected',
    'rejected, reject, refunded, refund, declined, disapproved, denied, void, voided, cancelled, canceled, reversed, invalid, trash',
  ],
  ['German', 'approved', 'genehmigt, bestätigt, bezahlt, freigegeben, ausgezahlt'],
  ['German', 'pending', 'ausstehend, offen, in Prüfung'],
  ['German', 'rejected', 'abgelehnt, storniert, Storno, zurückgewiesen'],
  ['French', 'approved', 'approuvé, approuvée, validé, validée, confirmé, confirmée, payé, payée, accepté, acceptée'],
  ['French', 'pending', 'en attente, en cours'],
  ['French', 'rejected', 'refusé, refusée, annulé, annulée, rejeté, rejetée'],
  ['Spanish', 'approved', 'aprobado, aprobada, confirmado, confirmada, pagado, pagada, validado, validada'],
  ['Spanish', 'pending', 'pendiente, en espera'],
  ['Spanish', 'rejected', 'rechazado, rechazada, cancelado, cancelada, anulado, anulada'],
  ['Portuguese', 'approved', 'aprovado, aprovada, faturado, pago, paga'],
  ['Portuguese', 'pending', 'pendente, em análise'],
  ['Portuguese', 'rejected', 'recusado, recusada, rejeitado, rejeitada'],
  ['Polish', 'approved', 'rozliczony'],
  ['Polish', 'rejected', 'odrzucony'],
  ['Russian', 'approved', 'начислено'],
  ['Russian', 'pending', 'ожидает'],
  ['Russian', 'rejected', 'отклонено'],
  ['Affise', 'approved', '1'],
  ['Affise', 'pending', '2, 5, hold'],
  ['Affise', 'rejected', '3'],
  ['CJ', 'pending', 'new, extended'],
  ['ClickBank', 'approved', 'bill'],
  ['ClickBank', 'rejected', 'RFND, test'],
  ['AdCombo', 'approved', 'lead'],
  ['AdCombo', 'pending', 'hold'],
];

const languages = ['German', 'French', 'Spanish', 'Portuguese', 'Polish', 'Russian'];
const networks = [...new Set(statusWords.map(([network]) => network))].filter(
  (name) => name !== everywhere && !languages.includes(name),
);

const standings = statusWords.map(([network, standing, words]) => ({ network, standing, words: plainWords(words) }));

const isWordIn = (name: string, text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .includes(name.toLowerCase());

/**
 * The network whose words a statement uses: that of its visitors' conversions, else that of its headings.
 * @returns undefined if none is known, or more than one
 */
export function networkOf(columns: readonly string[], sources: Iterable<string>): string | undefined {
  const found = [...sources].map((source) => networks.find((network) => isWordIn(network, source)));
  const named = found.length > 0 ? found : usersOf(columns).filter((by) => networks.includes(by));
  const [network, ...others] = new Set(named);
  return others.length === 0 ? network : undefined;
}

/** @returns undefined for a word on which networks contradict each other, or that none is known to use */
export function standingOf(status: string, network: string | undefined): Standing | undefined {
  const word = plainWord(status);
  const fits = standings.filter(({ words }) => words.includes(word));
  const isOwn = (one: (typeof fits)[number]) => one.network === network;
  const isCommon = (one: (typeof fits)[number]) => !networks.includes(one.network);
  return (fits.find(isOwn) ?? fits.find(isCommon))?.standing;
}
