// What the SDK takes from its surroundings: the process, and a validator for what people fill into forms. Here it is the one
// that the SDK brings for small runtimes. Ajv, its choice on Node, is a third of the code that a server reads before it starts.
export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
