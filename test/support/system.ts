/** Features of only some systems. Each is a list, which is empty on other systems. */

export const isWindows = process.platform === 'win32';

export const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Users that only root can become: one who owns files, and another. */
export const otherUsers: readonly (readonly [owner: number, other: number])[] = isRoot ? [[12_345, 23_456]] : [];

/** Signals that a process can answer; on Windows they end it at once. */
export const signals: readonly ('SIGINT' | 'SIGTERM' | 'SIGHUP')[] = isWindows ? [] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The exit code of a server that a signal ended: its own, or none if it could not answer. */
export const stoppedCode = isWindows ? null : 0;

/** The exit code and the signal of a process that killed itself. */
export const killedExit: readonly [number | null, string | null] = isWindows ? [1, null] : [null, 'SIGKILL'];

/** The modes of a file that only its owner can read; Windows has none. */
export const privateModes: readonly number[] = isWindows ? [] : [0o600];

/** Modes with which other users can read a file. */
export const openModes: readonly number[] = isWindows ? [] : [0o640, 0o604];

/** Modes with which a log can be written. With the second, even its owner cannot read it. */
export const writableModes: readonly number[] = isWindows ? [0o600] : [0o600, 0o200];

/** Devices that behave like a full disk. */
export const fullDevices: readonly string[] = process.platform === 'linux' ? ['/dev/full'] : [];

/** Programs that run a command on a new terminal. */
export const scriptPrograms: readonly string[] = process.platform === 'linux' ? ['/usr/bin/script'] : [];

/** Folders in which a system describes its processes. */
export const processFolders: readonly string[] = process.platform === 'linux' ? ['/proc'] : [];

/** The shells with testable completion. Every Unix has bash. */
export const shells: readonly string[] = isWindows ? [] : ['bash'];
