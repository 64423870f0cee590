// Fixes the clock of a process and its threads: node --import ./fixed-clock.js FILE, with the moment in RECORD_NOW.
const moment = Date.parse(process.env.RECORD_NOW ?? '');
globalThis.Date = class FixedDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [moment] : given));
  }

  static now() {
    return moment;
  }
};
