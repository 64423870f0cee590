import { startSandbox } from '../../../src/sandbox/sandbox.ts';

/** The process of kill.test.ts: it kills itself while it makes sample data in a file, after 10 of 30 days. */
const [, , file = ''] = process.argv;
void startSandbox({ file, onProgress: (done) => done === 10 && process.kill(process.pid, 'SIGKILL') });
