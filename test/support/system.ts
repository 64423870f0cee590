/** What only some systems have. A test that needs it takes it from a list, which is empty elsewhere. */

const isWindows = process.platform === 'win32';

/** Signals that a process can answer; on Windows they end it at once. */
export const signals: readonly ('SIGINT' | 'SIGTERM' | 'SIGHUP')[] = isWindows ? [] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The exit code of a server that a signal ended: its own, or none if it could not answer. */
export const stoppedCode = isWindows ? null : 0;

/** The exit code and the signal of a process that killed itself. */
export const killedExit: readonly [number | null, string | null] = isWindows ? [1, null] : [null, 'SIGKILL'];

/** The modes of a file that is its owner's alone; Windows has none. */
export const privateModes: readonly number[] = isWindows ? [] : [0o600];

/** Modes by which others than its owner may read a file. */
export const openModes: readonly number[] = isWindows ? [] : [0o640, 0o604];

/** Modes with which a log can be written; the second keeps even its owner from reading. */
export const writableModes: readonly number[] = isWindows ? [0o600] : [0o600, 0o200];

/** Devices that take nothing, as a full disk does. */
export const fullDevices: readonly string[] = process.platform === 'linux' ? ['/dev/full'] : [];

/** What runs a program on a terminal of its own. */
export const scriptPrograms: readonly string[] = process.platform === 'linux' ? ['/usr/bin/script'] : [];

/** Where a system shows what its processes were started with. */
export const processFolders: readonly string[] = process.platform === 'linux' ? ['/proc'] : [];

/** The shells whose completion can be tried: of bash there is one on every Unix. */
export const shells: readonly string[] = isWindows ? [] : ['bash'];
