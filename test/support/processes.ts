import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The processes that a process started and that run. */
export async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isRunning = Number(ppid) === parent && !state?.startsWith('Z') && !command?.startsWith('ps ');
    return isRunning ? [Number(pid)] : [];
  });
}

/** Waits until a process is gone. */
export async function untilGone(pid: number): Promise<void> {
  while (isThere(pid)) await setTimeout(20);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
