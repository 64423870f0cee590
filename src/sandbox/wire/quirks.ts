import type { ErrorReason } from './render.ts';

/** How answers are written where installations differ; one object, so that a quirk is a line of data. */
export interface WireStyle {
  /** Text ahead of every body. */
  readonly ahead: string;
  /** The HTTP status of an error. */
  readonly statuses: Readonly<Record<ErrorReason, number>>;
  /** The HTML page that answers a request without access; undefined: an error as any other. */
  readonly loginPage: string | undefined;
  /** Whether rows stand without a wrapper, and a write answers with its text alone. */
  readonly bare: boolean;
}

const plainStyle: WireStyle = {
  ahead: '',
  statuses: {
    'no-key': 200,
    'no-access': 200,
    invalid: 200,
    'unknown-record': 200,
    'unknown-path': 404,
    'wrong-method': 405,
    'too-large': 413,
    defect: 500,
  },
  loginPage: undefined,
  bare: false,
};

const loginPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Log in</title></head>
<body>
<h1>Log in</h1>
<form action="login.php" method="post">
<label>User name <input name="user"></label>
<label>Password <input name="password" type="password"></label>
<button>Log in</button>
</form>
</body>
</html>
`;

function phpNotices(): string {
  const lines = Array.from(
    { length: 24 },
    (_, index) =>
      '<br />\n<b>Deprecated</b>:  trim(): Passing null to parameter #1 ($string) of type string is deprecated in ' +
      `<b>/var/www/html/tracker/api/common.php</b> on line <b>${310 + index * 7}</b><br />\n`,
  );
  return lines.join('');
}

/** The observed variants of installations, docs "On the wire"; each names only what it changes. */
const styleOfQuirk = {
  notices: { ahead: phpNotices() },
  html: { loginPage },
  'http-errors': {
    statuses: { ...plainStyle.statuses, 'no-key': 401, 'no-access': 403, invalid: 400, 'unknown-record': 404 },
  },
  bare: { bare: true },
} as const satisfies Record<string, Partial<WireStyle>>;

export type Quirk = keyof typeof styleOfQuirk;

/** The names of all quirks, for the `--quirks` switch. */
export const quirkNames = Object.keys(styleOfQuirk) as readonly Quirk[];

export function styleWith(quirks: readonly Quirk[]): WireStyle {
  return Object.assign({ ...plainStyle }, ...quirks.map((quirk) => styleOfQuirk[quirk]));
}
