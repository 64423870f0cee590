import { startSandbox } from '../../../src/sandbox/sandbox.ts';

/** A process of its own that is killed while it makes sample data in a file: after the tenth of 30 days. */
const [, , file = ''] = process.argv;
void startSandbox({ file, onProgress: (done) => done === 10 && process.kill(process.pid, 'SIGKILL') });
