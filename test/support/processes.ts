import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The running children of a process. */
export async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isRunning = Number(ppid) === parent && !state?.startsWith('Z') && !command?.startsWith('ps ');
    return isRunning ? [Number(pid)] : [];
  });
}

/** Waits until a process has ended. A zombie counts as ended. */
export async function untilGone(pid: number): Promise<void> {
  while (await isThere(pid)) await setTimeout(20);
}

/** Whether a process runs. */
export async function isThere(pid: number): Promise<boolean> {
  const state = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return state !== '' && !state.startsWith('Z');
}
