/** What asks a process to end: the keyboard, whoever started it, and a terminal or session that is gone. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has a signal end the process in its own way, once; the same signal again ends it at once. */
export function onEndSignal(end: () => void): void {
  for (const signal of endSignals) process.once(signal, end);
}
