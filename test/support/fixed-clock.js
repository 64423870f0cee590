// Fixes the clock of a process and its threads: node --import file:///…/fixed-clock.js?2026-06-15T18:00:00Z FILE
const moment = Date.parse(decodeURIComponent(new URL(import.meta.url).search.slice(1)));
globalThis.Date = class FixedDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [moment] : given));
  }

  static now() {
    return moment;
  }
};
