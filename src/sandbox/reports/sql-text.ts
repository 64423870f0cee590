/** A moment as local time of `$zone`, YYYY-MM-DD HH:MM:SS. */
export const localTime = (moment: string) => `strftime(${moment} AT TIME ZONE $zone, '%Y-%m-%d %H:%M:%S')`;

/** An amount of money with as many decimals as it has, two at least. */
export const moneyText = (amount: string) => `regexp_replace(${amount}::VARCHAR, '(\\.\\d\\d\\d*?)0+$', '\\1')`;

/** A condition as 1 or 0. */
export const flagText = (condition: string) => `(CASE WHEN ${condition} THEN '1' ELSE '0' END)`;
