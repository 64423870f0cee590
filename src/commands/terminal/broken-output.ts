import { Failure } from '../../api/failure.ts';

/** The failure that an error of writing the output is; undefined for any other error. */
export function outputFailure(error: unknown): Failure | undefined {
  // Nothing else is written here whose errors are not failures already.
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) return undefined;
  return new Failure(`The output cannot be written: ${error.message}.`);
}

/**
 * Ends a command whose output goes nowhere: a reader that hung up, such as `head`, wants no more; anything else is told of.
 */
export function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  console.error(`tracker-mcp: ${outputFailure(error)?.message ?? error.message}`);
  process.exit(1);
}
