import { plainName } from '../../api/text/names.ts';

/** What a column of a network's statement holds. A payout is what the network pays, a sale value what the visitor paid. */
export type Meaning =
  | 'subid'
  | 'payout'
  | 'amount'
  | 'sale_value'
  | 'time'
  | 'click_time'
  | 'later_time'
  | 'long_time'
  | 'clock'
  | 'status'
  | 'type'
  | 'currency'
  | 'transaction'
  | 'offer'
  | 'other';

/** Meanings of columns that have no payouts. */
export const withoutPayouts = [
  'sale_value',
  'time',
  'click_time',
  'later_time',
  'long_time',
  'clock',
  'other',
] as const;

/**
 * Known headings, the most certain of a meaning first, with the networks or the language that use them. An `amount` alone is a payout;
 * beside a payout it is not. A `click_time` is before the sale, a `later_time` after it, such as its payment, and a `long_time`
 * is many days. `other` columns hold neither money nor times. A heading that is not here is found by its cells, and asked about if they leave a doubt.
 */
export const headings: readonly (readonly [Meaning, by: string, names: string])[] = [
  ['subid', 'any', 'SubID, Sub ID, SubID1, Sub1, S1, Click ID, Sub Identifier, External ID, External Click ID'],
  [
    'subid',
    'TUNE',
    'aff_sub, aff_sub1, Affiliate Sub ID, Affiliate Sub, Affiliate Sub 1, aff_click_id, Affiliate Click ID',
  ],
  ['subid', 'Awin', 'clickref, Click Ref, Click Reference'],
  ['subid', 'CJ', 'SID, Publisher SID, aid1'],
  ['subid', 'ClickBank', 'TID, Tracking ID'],
  ['subid', 'ShareASale', 'afftrack'],
  ['subid', 'Rakuten', 'u1, Member ID (U1)'],
  ['subid', 'FlexOffers', 'fobs'],
  ['subid', 'Zeydoo', 'ymid'],
  ['subid', 'Mobidea', 'pub_click_id'],
  ['subid', 'Digistore24', 'cid'],
  ['subid', 'Tradedoubler', 'EPI, EPI1'],
  ['subid', 'Kwanko, Hotmart, eBay', 'Argsite, SCK, SRC, Custom ID'],
  [
    'subid',
    'TUNE, Everflow, CAKE, Affise, Impact, Admitad',
    'subid2, sub2, aff_sub2, s2, subid3, sub3, aff_sub3, s3, subid4, sub4, aff_sub4, s4, subid5, sub5, aff_sub5, s5, clickref2, fobs2',
  ],
  ['payout', 'TUNE', 'Payout, Payouts, Approved Payout, Affiliate Payout, Payout Amount, Publisher Payout'],
  [
    'payout',
    'any',
    'Approved Amount, Total Payout, Total Payouts, Final Payout, Net Earnings, Net Payout, Net Commission, Commissions, Commission Earned, Action Earnings, Partner Payout, Partner Commission, Referral Fee, Net Affiliate Commission',
  ],
  ['payout', 'CJ', 'Publisher Commission, Publisher Commission Amount, Commission, Commission Amount'],
  ['payout', 'Rakuten, FlexOffers', 'Total Commission, Total Commissions'],
  [
    'payout',
    'Impact, Digistore24',
    'Earnings, Your Earnings, Total Earnings, Affiliate Earnings, Publisher Earnings, Earning, Earned',
  ],
  ['payout', 'ShareASale, Awin', 'Your Commission, Affiliate Commission'],
  ['payout', 'Admitad', 'Reward, Affiliate Reward'],
  [
    'payout',
    'German',
    'Auszahlung, Provision, Provisionen, Provisionsbetrag, Vergütung, Ihre Vergütung, Ihre Provision, Ihr Verdienst, Verdienst, Publisher-Provision, ' +
      'Affiliate-Provision, Partnerprovision, Vertriebspartnerprovision',
  ],
  [
    'payout',
    'French',
    'Rémunération, Rémunération éditeur, Commission éditeur, Commission affilié, Montant commission, Montant de la commission, Vos commissions, ' +
      'Gain, Gains, Vos gains',
  ],
  [
    'payout',
    'Spanish',
    'Comisión, Comisiones, Tu comisión, Comisión neta, Comisión del afiliado, Importe comisión, Importe de la comisión, Ganancias, Ganancia, Pago',
  ],
  [
    'payout',
    'Portuguese',
    'Comissão, Comissões, Sua comissão, Comissão líquida, Comissão do afiliado, Valor da comissão, Ganhos, Pagamento',
  ],
  [
    'payout',
    'Italian',
    'Commissione, Commissioni, Importo commissione, La tua commissione, Provvigione, Provvigioni, Compenso, Guadagno, Guadagni',
  ],
  ['payout', 'Dutch', 'Commissie, Commissies, Commissiebedrag, Jouw commissie, Vergoeding, Uitbetaling, Verdiensten'],
  [
    'payout',
    'Swedish, Polish, Russian, Czech, Turkish, Chinese',
    'Ersättning, Provisjon, Prowizja, Kwota prowizji, Twoja prowizja, Wynagrodzenie, Zarobek, Вознаграждение, Вознаграждение вебмастера, ' +
      'Сумма вознаграждения, Комиссия, Выплата, Заработок, Provize, Komisyon, Kazanç, 佣金, 报酬, 報酬',
  ],
  ['amount', 'any', 'Revenue, Income, Profit, Payment, Rate, Amount, Total, Sum, Price, Value, Net Amount'],
  ['amount', 'German', 'Betrag, Summe, Einnahmen, Erlös'],
  ['amount', 'French, Spanish, Portuguese', 'Montant, Importe, Valor, Monto, Ingresos, Receita'],
  ['amount', 'Italian, Dutch', 'Importo, Valore, Ricavi, Bedrag, Inkomsten'],
  [
    'sale_value',
    'any',
    'Sale Amount, Sale Amt, Sale Value, Sale Price, Order Value, Order Amount, Order Total, Cart Value, Cart Total, Basket Value, Basket Total, ' +
      'Transaction Amount, Trans Amount, Transaction Value, Conversion Value, Gross Sales, Gross Amount, Sales, Sales Amount, Net Sale Amount, Total Sale, ' +
      'Purchase Amount, Purchase Total, Order Sum, Order Subtotal, Gross Order Value, Merchandise Total',
  ],
  [
    'sale_value',
    'CJ, Awin',
    'Advertiser Commission, Advertiser Payout, Advertiser Amount, Advertiser Cost, Network Commission',
  ],
  [
    'sale_value',
    'German',
    'Warenkorb, Warenkorbwert, Warenwert, Nettowarenwert, Bestellwert, Nettobestellwert, Bruttobestellwert, Gesamtbestellwert, Auftragswert, ' +
      'Transaktionswert, Umsatz, Einkaufswert, Verkaufswert, Kaufpreis, Bestellsumme',
  ],
  [
    'sale_value',
    'French',
    'Montant commande, Montant de la commande, Valeur commande, Valeur de la commande, Montant vente, Montant de la vente, Panier, ' +
      "Valeur du panier, Montant du panier, Montant transaction, Montant de la transaction, Chiffre d’affaires, Chiffre d'affaires",
  ],
  [
    'sale_value',
    'Spanish',
    'Importe pedido, Importe del pedido, Valor pedido, Valor del pedido, Total del pedido, Importe venta, Importe de venta, Importe de la venta, ' +
      'Valor de la venta, Precio de venta, Valor de la transacción, Importe de la transacción, Valor del carrito, Carrito',
  ],
  [
    'sale_value',
    'Portuguese',
    'Valor venda, Valor da venda, Valor do pedido, Valor do carrinho, Valor da compra, Valor da transação, Preço do produto, Carrinho',
  ],
  [
    'sale_value',
    'Italian',
    'Importo ordine, Valore ordine, Totale ordine, Importo vendita, Valore vendita, Prezzo di vendita, Importo transazione, Valore transazione, ' +
      'Valore carrello, Fatturato',
  ],
  [
    'sale_value',
    'Dutch, Swedish, Danish, Polish, Russian',
    'Orderwaarde, Bestelwaarde, Orderbedrag, Bestelbedrag, Verkoopbedrag, Transactiebedrag, Winkelwagenwaarde, Omzet, Ordervärde, Ordreværdi, ' +
      'Wartość zamówienia, Wartość sprzedaży, Сумма заказа, Стоимость заказа, Сумма покупки, Cena objednávky, Sipariş tutarı, 订单金额',
  ],
  [
    'time',
    'any',
    'Conversion Date, Conversion Time, Conversion Datetime, Converted Date, Converted At, Datetime Converted, Sale Date, Sale Time, Lead Date, ' +
      'Transaction Date, Transaction Time, Trans Date, Order Date, Purchase Date, Action Date, Action Time, Event Date, Event Time, Time of Event, ' +
      'Commission Date, Posting Date',
  ],
  [
    'time',
    'any',
    'Conversion Unix Timestamp, Unix Timestamp, Unix Time, Epoch, TS, Event TS, Conversion TS, Timestamp Ms, Datetime, Date, Timestamp, Time, Created At, Created, Date Created, Added, Date Added, Added Timestamp, Day',
  ],
  [
    'time',
    'German',
    'Transaktionsdatum, Transaktionszeit, Bestelldatum, Bestellzeitpunkt, Verkaufsdatum, Ereignisdatum, Eventdatum, Kaufdatum, Datum, Datum/Uhrzeit, ' +
      'Datum und Uhrzeit, Zeitstempel, Zeitpunkt',
  ],
  [
    'time',
    'French',
    'Date transaction, Date de transaction, Date de la transaction, Date conversion, Date de conversion, Date de la conversion, Date commande, ' +
      'Date de commande, Date de la commande, Date de vente, Date de la vente, Date évènement, Date de l’évènement, Date et heure, Horodatage',
  ],
  [
    'time',
    'Spanish',
    'Fecha conversión, Fecha de conversión, Fecha de la conversión, Fecha transacción, Fecha de transacción, Fecha de la transacción, ' +
      'Fecha de venta, Fecha de la venta, Fecha de compra, Fecha de la compra, Fecha de pedido, Fecha del pedido, Hora del evento, Fecha y hora, Fecha',
  ],
  [
    'time',
    'Portuguese',
    'Data conversão, Data de conversão, Data da conversão, Data transação, Data de transação, Data da transação, Data de venda, Data da venda, ' +
      'Data da compra, Data do pedido, Data e hora, Data',
  ],
  [
    'time',
    'Italian',
    'Data conversione, Data di conversione, Data transazione, Data della transazione, Data vendita, Data di vendita, Data della vendita, Data ordine, ' +
      'Data acquisto, Data evento, Data e ora',
  ],
  [
    'time',
    'Dutch',
    'Transactiedatum, Datum transactie, Conversiedatum, Orderdatum, Besteldatum, Verkoopdatum, Registratiedatum, Datum en tijd, Tijdstip',
  ],
  [
    'time',
    'Polish, Russian, Czech, Turkish, Chinese, Japanese',
    'Data transakcji, Data konwersji, Data zamówienia, Data sprzedaży, Data zdarzenia, Дата, Дата и время, Время действия, Дата действия, ' +
      'Дата конверсии, Время конверсии, Дата заказа, Дата продажи, Дата транзакции, Datum objednávky, Tarih, İşlem tarihi, 日期, 时间, 订单时间, ' +
      '转化时间, 日時',
  ],
  ['click_time', 'any', 'Click Date, Click Time, Click Timestamp, Clicked At, Date of Click'],
  [
    'click_time',
    'German, French, Spanish, Portuguese, Italian, Dutch',
    'Klickdatum, Klickzeit, Date du clic, Fecha de clic, Fecha del clic, Data do clique, Data clic, Data del clic, Klikdatum, Datum klik, ' +
      'Data kliknięcia, Дата клика, Время клика, 点击时间',
  ],
  [
    'later_time',
    'any',
    'Payment Date, Paid Date, Date Paid, Paid At, Payout Date, Validation Date, Validated Date, Validated At, Approval Date, Approved Date, ' +
      'Approved At, Confirmation Date, Lock Date, Locked Date, Locking Date, Invoice Date, Due Date, Shipped Date, Ship Date, Shipping Date, ' +
      'Shipped, Delivered, Validated On, Paid On, Shipped On, Delivery Date, Processed Date, Process Date, Modified Date, Date Modified, Modification Date, Updated At, Date Updated, Last Updated, Export Date, Report Date, Cleared Date, ' +
      'Status Date, Refund Date, Reversal Date, Hold Until, Expiry Date',
  ],
  [
    'later_time',
    'German',
    'Zahlungsdatum, Auszahlungsdatum, Zahldatum, Validierungsdatum, Bestätigungsdatum, Freigabedatum, Rechnungsdatum, Versanddatum, Lieferdatum, ' +
      'Fälligkeitsdatum, Änderungsdatum, Bearbeitungsdatum, Stornodatum, Prüfdatum',
  ],
  [
    'later_time',
    'French',
    'Date de paiement, Date paiement, Date de validation, Date validation, Date de facturation, Date de facture, Date facture, Date d’expédition, ' +
      'Date expédition, Date de livraison, Date de modification, Date d’approbation, Date de confirmation',
  ],
  [
    'later_time',
    'Spanish',
    'Fecha de pago, Fecha pago, Fecha de validación, Fecha validación, Fecha de factura, Fecha factura, Fecha de envío, Fecha de aprobación, ' +
      'Fecha de confirmación, Fecha de entrega',
  ],
  [
    'later_time',
    'Portuguese',
    'Data de pagamento, Data do pagamento, Data de validação, Data da validação, Data da fatura, Data de envio, Data de aprovação, Data de confirmação',
  ],
  [
    'later_time',
    'Italian, Dutch',
    'Data pagamento, Data di pagamento, Data validazione, Data di validazione, Data approvazione, Data di approvazione, Data di conferma, ' +
      'Data fattura, Data di modifica, Data di spedizione, Betaaldatum, Betalingsdatum, Uitbetaaldatum, Beoordelingsdatum, Goedkeuringsdatum, ' +
      'Factuurdatum, Verzenddatum, Leverdatum, Data zatwierdzenia, Data płatności, Дата подтверждения, Дата оплаты, Дата выплаты, 付款时间',
  ],
  [
    'long_time',
    'any',
    'Month, Week, Year, Quarter, Period, Monat, Woche, KW, Kalenderwoche, Jahr, Quartal, Zeitraum, Mois, Semaine, Année, Trimestre, Période, Mes, Semana, Año, Período, Mês, Ano, Mese, Settimana, Maand, Месяц',
  ],
  ['clock', 'any', 'Time, Conversion Time, Event Time, Hour, Uhrzeit, Zeit, Heure, Hora, Ora, Tijd'],
  [
    'currency',
    'any',
    'Currency, Currency Code, Payout Currency, Währung, Devise, Moneda, Divisa, Moeda, Valuta, Waluta, Валюта, Měna, 货币, 通貨',
  ],
  [
    'status',
    'any',
    'Status, Conversion Status, Approval Status, Lead Status, Sale Status, Status Code, Transaction Status, Validation Status, Order Status, ' +
      'Payment Status, Approval, Validation, Decision',
  ],
  ['status', 'CJ, Impact', 'Action Status, Commission Status'],
  ['status', 'MaxBounty', 'Disposition'],
  [
    'status',
    'German, French, Spanish, Portuguese, Italian',
    'Transaktionsstatus, Provisionsstatus, Freigabestatus, Bestellstatus, Estado, Estado de la comisión, Estado de la transacción, Statut, ' +
      'Statut de la commission, Statut de la transaction, État, Situação, Status da comissão, Stato, Stato commissione',
  ],
  [
    'status',
    'Russian, Polish, Czech, Turkish, Chinese, Japanese',
    'Статус, Статус заказа, Статус действия, Статус конверсии, Stan, Status prowizji, Stav, Durum, 状态, 订单状态, ステータス, 상태',
  ],
  [
    'type',
    'any',
    'Type, Event, Event Type, Action, Action Type, Record Type, Entry Type, Line Type, Conversion Type, Commission Type, Kind, Operation',
  ],
  ['type', 'ClickBank', 'Transaction Type, Txn Type, Trans Type'],
  [
    'type',
    'German, French, Spanish, Portuguese, Italian',
    'Typ, Art, Vorgang, Vorgangsart, Buchungsart, Transaktionsart, Transaktionstyp, Ereignis, Type de transaction, Évènement, Opération, Tipo, ' +
      'Tipo de transacción, Tipo de transação, Evento, Operación, Operação, Tipo di transazione, Transactietype',
  ],
  [
    'transaction',
    'any',
    'Transaction ID, Conversion ID, TXID, Transaction, Order ID, Lead ID, Action ID, Event ID, Receipt, Order Number',
  ],
  [
    'transaction',
    'German, French, Spanish, Portuguese, Italian, Dutch',
    'Transaktions-ID, Bestellnummer, Bestell-ID, Auftragsnummer, Numéro de commande, ID de pedido, Número de pedido, Código de transacción, ' +
      'ID do pedido, Código da transação, ID transazione, Numero ordine, ID ordine, Transactie-ID, Ordernummer, Bestelnummer, ' +
      'Numer zamówienia, Номер заказа, ID заказа, ID транзакции, 订单号',
  ],
  [
    'offer',
    'any',
    'Offer, Offer Name, Program, Program Name, Advertiser, Advertiser Name, Merchant, Campaign, Campaign Name, Product',
  ],
  [
    'offer',
    'German, French, Spanish, Portuguese, Italian, Dutch',
    'Angebot, Programm, Programme, Annonceur, Anunciante, Programa, Nombre del programa, Oferta, Produkt, Produit, Producto, Produto, Programma, ' +
      'Offerta, Inserzionista, Prodotto, Adverteerder, Aanbieding, Программа, Оффер, Рекламодатель',
  ],
  [
    'other',
    'any',
    'Quantity, Qty, Items, Clicks, Impressions, Views, Count, Conversions, Age, Country, Country Code, City, Region, State, Zip, Postal Code, IP, ' +
      'Device, OS, Browser, Referrer, Referer, User Agent, Campaign ID, Offer ID, Advertiser ID, Affiliate ID, Publisher ID, Program ID, Merchant ID, ' +
      'Website ID, Ad ID, Goal ID, Line, Row, No., Menge, Anzahl, Quantité, Cantidad, Quantidade',
  ],
];

/** A word without letter case, separators, accents, and the dots of i. */
export const plainWord = (word: string): string => plainName(word.normalize('NFD')).replaceAll('ı', 'i');

/** The words of a list with commas, each by `plainWord`. */
export const plainWords = (list: string): readonly string[] => list.split(',').map(plainWord);

const plainHeadings = headings.map(([meaning, by, names]) => ({ meaning, by, names: plainWords(names) }));

/** Twice as long as any known heading. A longer text is none, and is not looked at. */
const maxHeading = 100;

/** A heading as it is compared, and without a prefix and a unit: `Stat.payout (USD)` is a payout. */
function formsOf(heading: string): readonly [whole: string, bare: string] {
  if (heading.length > maxHeading) return ['', ''];
  const bare = heading
    .trim()
    .replace(/^Stat\./i, '')
    .replace(/\((?!%)[^()]*\)|\[(?!%)[^[\]]*\]|(?: in)?[^\p{L}\p{N}](?:[A-Z]{3}|HT|usd|eur|gbp)$|[$€£]/gu, '');
  // A part of the money is not the money: `Commission (%)` is no payout.
  const [whole, plain] = [heading, bare].map((form) => plainWord(form.replaceAll('%', 'percent')));
  return [
    whole ?? '',
    plain?.replace(/(?:in)?(?:cents?|pence|centimes|centimos|centavos)$|inct$|minor(?:units?)?$/, '') ?? '',
  ];
}

/** The columns with a known heading of this meaning, the most certain first. */
export function columnsOf(columns: readonly string[], meaning: Meaning): number[] {
  const plain = columns.map(formsOf);
  const names = plainHeadings.filter((row) => row.meaning === meaning).flatMap((row) => row.names);
  const indexes = names.flatMap((name) => [
    ...plain.flatMap(([whole], index) => (whole === name ? [index] : [])),
    ...plain.flatMap(([, bare], index) => (bare === name ? [index] : [])),
  ]);
  return [...new Set(indexes)];
}

/** Whether a heading says that its column holds parts of something, such as a commission in percent. */
export const isPart = (heading: string): boolean => /%|percent|prozent|pourcent/i.test(heading);

/** The networks or languages of the headings in a row. */
export function usersOf(columns: readonly string[]): readonly string[] {
  const plain = new Set(columns.flatMap(formsOf));
  return plainHeadings.flatMap(({ by, names }) => (names.some((name) => plain.has(name)) ? [by] : []));
}

const known = new Set(plainHeadings.flatMap(({ names }) => names));

export const isHeading = (cell: string): boolean => formsOf(cell).some((form) => known.has(form));
