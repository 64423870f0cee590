/** What of undici is loaded by itself. It is CommonJS, of which a bundle gives the default export alone. */

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/index.js' {
  import type * as undici from 'undici';

  const whole: Pick<typeof undici, 'EnvHttpProxyAgent'>;
  export default whole;
}
