/** Parts of undici that are loaded separately. It is CommonJS, so a bundle has only its default export. */

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/index.js' {
  import type * as undici from 'undici';

  const whole: Pick<typeof undici, 'EnvHttpProxyAgent'>;
  export default whole;
}
