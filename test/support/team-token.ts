import type { TokenVerifier } from '../../src/mcp/http/gate.ts';

/** The only token that a server for a team accepts in a test. */
export const token = 'tmcp_token-of-ann';

export const verifier: TokenVerifier = {
  verify: async (given) =>
    given === token
      ? { name: 'ann', access: 'read', limits: {} }
      : { error: 'invalid_token', description: 'The token is unknown.' },
};
