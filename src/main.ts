import { program } from './commands/program.ts';

/** Runs the command line. */
export default program().parseAsync();
