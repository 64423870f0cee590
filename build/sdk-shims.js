// What the SDK takes from its runtime: the process, and a validator for forms. This validator is the one for small runtimes.
// Ajv, its default on Node, is a third of the code that a server loads before it starts.
export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
