import { groupBy } from '../statistics/history.ts';
import { plainWord, plainWords, usersOf } from './headings.ts';

/** What a status says of a line: only approved ones are revenue. A line that is taken back was paid once. */
export const standings = ['approved', 'pending', 'rejected', 'taken_back'] as const;
export type Standing = (typeof standings)[number];

/** The network of words on which all known networks agree. */
const everywhere = 'any';

/** The same, of words that stand in other columns than those of statuses too. */
export const statusesOnly = 'any, as a status';

/** The same, of words that may also be the heading of a column of yes and no: `Paid`. */
const statusesAndQuestions = 'any, as a status or a heading';

/** The same, of words that tell the kind of a line: as a status, one network counts a chargeback as a sale. */
const typesOnly = 'any, as a kind of line';

/** Words for the status of a line, and the network that uses them so. `hold`, or a number, means different things elsewhere. */
export const statusWords: readonly (readonly [network: string, Standing, words: string])[] = [
  [
    everywhere,
    'approved',
    'approved, accepted, confirmed, validated, payable, auto approved, approved and paid, valid, ready for payment, ready to pay',
  ],
  [
    statusesOnly,
    'approved',
    'closed, sale, won, unique, approve, paid out, payment approved, approved (locked), approved (paid), complete, completed, completado, completada, completato, completo, completa, terminé, terminée, finalizado, finalizada, concluído, concluída, abgeschlossen, active, ok, success, successful',
  ],
  [statusesAndQuestions, 'approved', 'locked, paid, cleared, settled'],
  [
    everywhere,
    'pending',
    'pending, unconfirmed, in review, under review, awaiting approval, on hold, in progress, awaiting validation, awaiting confirmation, ' +
      'pending approval, pending validation, not yet approved, unapproved, not validated, not confirmed, delayed',
  ],
  [
    statusesOnly,
    'pending',
    'open, processing, waiting, review, tracked, not paid, unpaid, payment pending, to be validated',
  ],
  [
    everywhere,
    'rejected',
    'rejected, reject, declined, decline, disapproved, denied, void, voided, cancelled, canceled, invalid, invalidated, fraud, fraudulent, ' +
      'not approved, not accepted, not valid, unqualified, disqualified, duplicate, blocked, scrubbed',
  ],
  [statusesOnly, 'rejected', 'trash, expired, failed, dropped, test, spam, removed, refused, lost, payment declined'],
  [statusesAndQuestions, 'rejected', 'returned, deleted'],
  [everywhere, 'taken_back', 'refunded, refund, partial refund, reversed, reversal, clawback, clawed back, RFND, CGBK'],
  [
    typesOnly,
    'taken_back',
    'chargeback, chargebacks, charge back, charged back, return, returns, refunds, reversals, cancellation, cancellations, dispute, deduction, debit',
  ],
  [typesOnly, 'rejected', 'test, test sale, test bill, test rfnd, test order, test conversion'],
  [
    'German',
    'approved',
    'genehmigt, bestätigt, bezahlt, freigegeben, ausgezahlt, ausbezahlt, validiert, akzeptiert, gültig, angenommen, abgerechnet, gutgeschrieben, gebucht, anerkannt, vergütet',
  ],
  [
    'German',
    'pending',
    'ausstehend, offen, in Prüfung, in Bearbeitung, unbestätigt, wartend, schwebend, vorgemerkt, erfasst, eingereicht, vorläufig, zu prüfen, warten',
  ],
  [
    'German',
    'rejected',
    'abgelehnt, zurückgewiesen, ungültig, nicht bestätigt, nicht genehmigt, verweigert, Betrug, nicht freigegeben, nicht gültig, nicht anerkannt, gesperrt',
  ],
  [
    'German',
    'taken_back',
    'storniert, Storno, Stornierung, Stornobuchung, Rückbuchung, Rückzahlung, Rückbelastung, Rückerstattung, Erstattung, erstattet, zurückgebucht, Rücklastschrift, Retoure, Rücksendung',
  ],
  [
    'French',
    'approved',
    'approuvé, approuvée, validé, validée, confirmé, confirmée, payé, payée, accepté, acceptée, valide, acquis, acquise, réglé, réglée',
  ],
  [
    'French',
    'pending',
    'en attente, en cours, en cours de validation, à valider, à confirmer, à vérifier, provisoire, en suspens',
  ],
  [
    'French',
    'rejected',
    'refusé, refusée, rejeté, rejetée, non validé, non validée, invalide, fraude, non accepté, non acceptée, non confirmé, non confirmée, décliné, déclinée, supprimé, supprimée',
  ],
  [
    'French',
    'taken_back',
    'annulé, annulée, annulation, remboursé, remboursée, remboursement, retour, rétrofacturation',
  ],
  [
    'Spanish',
    'approved',
    'aprobado, aprobada, confirmado, confirmada, pagado, pagada, validado, validada, aceptado, aceptada, cobrado, cobrada, liquidado, liquidada, válido, válida',
  ],
  [
    'Spanish',
    'pending',
    'pendiente, en espera, en revisión, en proceso, en validación, en curso, por validar, por confirmar, provisional',
  ],
  [
    'Spanish',
    'rejected',
    'rechazado, rechazada, denegado, denegada, no aprobado, no aprobada, inválido, inválida, no válido, no válida, no confirmado, no confirmada, declinado, declinada',
  ],
  [
    'Spanish',
    'taken_back',
    'cancelado, cancelada, anulado, anulada, anulación, devuelto, devuelta, devolución, reembolsado, reembolsada, reembolso, contracargo, cancelación, disputa',
  ],
  ['Portuguese', 'approved', 'aprovado, aprovada, faturado, pago, paga, confirmada, aceito, aceita, quitado, quitada'],
  [
    'Portuguese',
    'pending',
    'pendente, em análise, em validação, em processamento, em andamento, em espera, em aberto, a confirmar, a validar, aguardando, aguardando pagamento, aguardando aprovação',
  ],
  [
    'Portuguese',
    'rejected',
    'recusado, recusada, rejeitado, rejeitada, não aprovado, não aprovada, negado, negada, não válido, não válida, não confirmado, não confirmada, não validado, não validada',
  ],
  [
    'Portuguese',
    'taken_back',
    'estornado, estornada, estorno, devolvido, devolvida, devolução, reembolsado, cancelamento',
  ],
  [
    'Italian',
    'approved',
    'approvato, approvata, confermato, confermata, pagato, pagata, validato, validata, accettato, accettata, valido, valida, liquidato, liquidata',
  ],
  [
    'Italian',
    'pending',
    'in attesa, in sospeso, sospeso, sospesa, in lavorazione, in revisione, in verifica, da confermare, da validare',
  ],
  [
    'Italian',
    'rejected',
    'rifiutato, rifiutata, respinto, respinta, negato, negata, non approvato, non approvata, non valido, non valida, non confermato, non confermata',
  ],
  ['Italian', 'taken_back', 'annullato, annullata, stornato, stornata, rimborsato, rimborsata, rimborso'],
  ['Dutch', 'approved', 'goedgekeurd, bevestigd, betaald, uitbetaald, geaccepteerd'],
  ['Dutch', 'pending', 'in behandeling, in afwachting, wachtend, openstaand'],
  ['Dutch', 'rejected', 'afgekeurd, geweigerd, afgewezen, niet goedgekeurd'],
  ['Dutch', 'taken_back', 'geannuleerd, terugbetaald, teruggeboekt, geretourneerd'],
  ['Polish', 'approved', 'rozliczony, zatwierdzony, zatwierdzona, zaakceptowany, zaakceptowana, opłacony'],
  ['Polish', 'pending', 'oczekujący, oczekująca, oczekuje, w trakcie'],
  ['Polish', 'rejected', 'odrzucony, odrzucona'],
  ['Polish', 'taken_back', 'anulowany, anulowana, zwrot'],
  [
    'Russian',
    'approved',
    'начислено, подтверждено, подтвержден, подтверждён, подтверждена, одобрено, одобрен, одобрена, оплачено, оплачен, оплачена, принято, принят',
  ],
  ['Russian', 'pending', 'ожидает, в ожидании, в обработке, на рассмотрении, холд'],
  ['Russian', 'rejected', 'отклонено, отклонен, отклонён, отклонена, отказ'],
  ['Russian', 'taken_back', 'отменено, отменен, отменён, отменена, возврат'],
  ['Swedish', 'approved', 'godkänd, godkänt, bekräftad, betald'],
  ['Swedish', 'pending', 'väntande, väntar, avvaktande'],
  ['Swedish', 'rejected', 'nekad, avvisad, ej godkänd'],
  ['Swedish', 'taken_back', 'makulerad, återbetald, annullerad'],
  ['Danish, Norwegian', 'approved', 'godkendt, godkjent, bekræftet, bekreftet, betalt'],
  ['Danish, Norwegian', 'pending', 'afventer, avventer, afventende, venter'],
  ['Danish, Norwegian', 'rejected', 'afvist, avvist, ikke godkendt, ikke godkjent'],
  ['Danish, Norwegian', 'taken_back', 'annulleret, annullert, refunderet, refundert, kansellert'],
  ['Czech', 'approved', 'schváleno, schválená, schválený, potvrzeno, zaplaceno'],
  ['Czech', 'pending', 'čekající, čeká, nevyřízeno'],
  ['Czech', 'rejected', 'zamítnuto, zamítnutá, zamítnutý, neschváleno'],
  ['Turkish', 'approved', 'onaylandı, onaylanmış, ödendi'],
  ['Turkish', 'pending', 'beklemede, bekliyor, onay bekliyor'],
  ['Turkish', 'rejected', 'reddedildi, onaylanmadı'],
  ['Turkish', 'taken_back', 'iptal edildi, iade edildi, iade'],
  ['Chinese', 'approved', '已确认, 已批准, 已通过, 已审核, 已付款, 有效'],
  ['Chinese', 'pending', '待确认, 待审核, 待定, 审核中, 处理中'],
  ['Chinese', 'rejected', '已拒绝, 拒绝, 未通过, 无效'],
  ['Chinese', 'taken_back', '已取消, 已退款, 退款, 退货'],
  ['Affise', 'approved', '1'],
  ['Affise', 'pending', '2, 5, hold'],
  ['Affise', 'rejected', '3'],
  ['CJ', 'pending', 'new, extended'],
  ['Tradedoubler', 'approved', 'A'],
  ['Tradedoubler', 'pending', 'P'],
  ['Tradedoubler', 'rejected', 'D'],
  ['ClickBank', 'approved', 'bill'],
  ['AdCombo', 'approved', 'lead'],
  ['AdCombo', 'pending', 'hold'],
];

const languages = [
  ...['German', 'French', 'Spanish', 'Portuguese', 'Italian', 'Dutch', 'Polish', 'Russian', 'Swedish'],
  ...['Danish, Norwegian', 'Czech', 'Turkish', 'Chinese'],
];
const networks = [...new Set(statusWords.map(([network]) => network))].filter(
  (name) => ![everywhere, statusesOnly, statusesAndQuestions, typesOnly, ...languages].includes(name),
);

/** The rows of the table that have a word, by the word. */
const rowsOfWord = groupBy(
  statusWords.flatMap(([network, standing, words]) => plainWords(words).map((word) => ({ network, standing, word }))),
  ({ word }) => word,
);

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

const rebillWords = new Set(
  plainWords(
    'rebill, rebilling, bill, renewal, recurring, subscription payment, upsell, Abo, Verlängerung, Folgezahlung, renouvellement, ' +
      'renovación, renovação, rinnovo',
  ),
);

/** Whether the kind of a line says that a sale is paid again. */
export const isRebill = (type: string): boolean => rebillWords.has(plainWord(type.slice(0, maxStatusLength)));

/** What begins a reason behind a status: `Declined - fraud`, `Pending (30 days)`, `Refusé par l’annonceur`. */
const reason = /[:(,;/]|\s(?:[-–—]|by|for|durch|von|auf|par|de|por|da|di|door|op)\s/;

/** Longer texts are no statuses. */
const maxStatusLength = 80;

/** A status as it is compared: whole, and without a reason. */
function wordsOf(status: string): readonly [whole: string, bare: string] {
  if (status.length > maxStatusLength) return ['', ''];
  return [plainWord(status), plainWord(status.split(reason)[0] ?? '')];
}

/**
 * @param isType whether the word tells the kind of a line
 * @returns undefined for a word on which networks contradict each other, or that none is known to use
 */
export function standingOf(status: string, network: string | undefined, isType = false): Standing | undefined {
  const except = isType ? [statusesOnly, statusesAndQuestions] : [typesOnly];
  const [whole, bare] = wordsOf(status).map((word) => standingOfWord(word, network, except));
  // An approval with a condition may be none.
  return whole ?? (bare === 'approved' ? undefined : bare);
}

/** @param except the rows that do not count */
function standingOfWord(word: string, network: string | undefined, except: readonly string[]): Standing | undefined {
  const fits = rowsOfWord.get(word)?.filter((row) => !except.includes(row.network)) ?? [];
  const isCommon = (one: (typeof fits)[number]) => !networks.includes(one.network);
  return (fits.find((one) => one.network === network) ?? fits.find(isCommon))?.standing;
}

/** What a cell says under any heading; undefined for words that stand in other columns too. */
export function certainStanding(cell: string, except: readonly string[] = [statusesOnly, statusesAndQuestions]) {
  const isCertain = ({ network }: { readonly network: string }) =>
    !except.includes(network) && !networks.includes(network);
  for (const word of wordsOf(cell)) {
    const row = rowsOfWord.get(word)?.find(isCertain);
    if (row) return row.standing;
  }
  return undefined;
}

/** What the day of an approval is called, beside `approved` and its like. */
export const approvals: ReadonlySet<string> = new Set(
  plainWords(
    'approval, validation, confirmation, Freigabe, Bestätigung, Validierung, Genehmigung, approbation, aprobación, validación, confirmación, ' +
      'aprovação, validação, confirmação, approvazione, validazione, convalida, conferma, goedkeuring',
  ),
);

/** Whether a text is a status somewhere, even if networks contradict each other on it. */
export const isStatusWord = (text: string): boolean =>
  /\p{L}/u.test(text) && wordsOf(text).some((form) => rowsOfWord.has(form));
