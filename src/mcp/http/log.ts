/** What a line of the log is about, for programs that read it. */
export interface LogFields {
  /** `call`, `refused`, `access`, `defect`, `sign_in` or `decision`; absent for a line that is only a message. */
  readonly event?: string;
  /** Whether only a log for programs has the line. */
  readonly routine?: true;
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (message: string, fields?: LogFields) => void;

/** Makes lines for a person (`text`), or an object on a line with the time and the fields (`json`). */
export function createLog(format: 'text' | 'json', write: (line: string) => void): Log {
  if (format === 'json') {
    return (message, { routine, ...fields } = {}) =>
      write(JSON.stringify({ time: new Date().toISOString(), message, ...fields }));
  }
  return (message, fields) => {
    if (!fields?.routine) write(`tracker-mcp: ${message}`);
  };
}
