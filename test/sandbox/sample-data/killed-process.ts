import { DuckDBConnection } from '@duckdb/node-api';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';

/** The process of kill.test.ts: it kills itself before it commits the sample data that it has made in a file. */
const [, , file = ''] = process.argv;
const { run } = DuckDBConnection.prototype;
DuckDBConnection.prototype.run = async function (sql, ...rest) {
  if (sql === 'COMMIT') process.kill(process.pid, 'SIGKILL');
  return run.call(this, sql, ...rest);
};
void startSandbox({ file });
