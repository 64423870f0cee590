/** Digits and letters that a person reads, says and types without taking one for another: Crockford’s base 32. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** As many whole letters of five bits as the bytes hold. */
export function toPlainLetters(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number(`0b${five}`)]).join('');
}

/** What a person typed, as it was meant: without case, blanks and hyphens, and with O, I and L as the digits they look like. */
export function readPlainLetters(typed: string): string {
  return typed.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
