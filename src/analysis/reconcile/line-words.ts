/** Words of lines and columns of a statement that are no sales and no payouts. */

import { namesOf } from '../../api/vocabulary.ts';

/** The sums of a tracker's report, without what an offer may be called. */
const totals = namesOf('row', 'total').filter((word) => word !== 'all');

/** Words in a line that is no sale: it adds up others, or books something else. */
export const noSaleWords = {
  total: `${totals.join()}, Gesamtbetrag, Gesamtprovision, Balance, Saldo, Solde, Auszahlungsbetrag`,
  booking:
    'VAT, Tax, MwSt, USt, TVA, IVA, BTW, Imposto, Impuesto, Ritenuta, Bonus, Adjustment, Adjustments, Korrektur, Ajuste, Ajustement, Fee, Fees, Gebühr, Gebühren, Frais, Carryover, ' +
    'Übertrag, Note, Notes, Hinweis, Correction, Corrections, Corrección, Correção, Correzione, Correctie, Rettifica, Aanpassing, Anpassung, Régularisation',
} as const;

/** The same in the heading of a column of money beside the payouts; an offer may be called so as well. */
export const deductionWords =
  'Deduction, Deductions, Penalty, Penalties, Discount, Holdback, Reserve, Withholding, Withheld, Surcharge, Abzug, Abzüge, Steuer, Rabatt, Strafe, ' +
  'Zuschlag, Retenue, Remise, Pénalité, Supplément, Impôt, Prime, Retención, Descuento, Penalización, Deducción, Bono, Bonificación, Tarifa, Retenção, ' +
  'Desconto, Multa, Dedução, Taxa, Sconto, Penale, Detrazione, Spese, Tassa, Korting, Inhouding, Boete, Kosten, Toeslag';

/** The same where the subID would be. Elsewhere they are kinds of sales, or headings. */
export const paymentWords =
  'Payment, Payout, Zahlung, Auszahlung, Paiement, Pago, Pagamento, Bonifico, Betaling, Uitbetaling, Overboeking';

/** Whole texts of lines of an account, which may have a day: none of them has a subID. */
export const accountWords =
  'Opening Balance, Closing Balance, Starting Balance, Ending Balance, Previous Balance, Current Balance, Balance Forward, Carried Forward, ' +
  'Brought Forward, Payment Sent, Payout Sent, Withdrawal, Wire Transfer, Wire Fee, Bank Fee, Referral Bonus, Referral Commission, Anfangssaldo, Endsaldo, Vortrag, ' +
  'Überweisung, Solde initial, Solde final, Virement, Retrait, Saldo inicial, Saldo final, Retiro, Transferencia, Saque, Transferência';
