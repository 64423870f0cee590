import * as z from 'zod';

/** The name of a token's holder or of an approver, in files, logs and the audit trail. */
export const personName = z.string().regex(/^[\w.@-]{1,100}$/, 'must be 1 to 100 letters, digits or any of . _ @ -');

/** Limits on writes. An absent limit allows everything. */
export const limitsSchema = z.strictObject({
  campaigns: z.array(z.number()).readonly().optional(),
  /** If campaigns are limited: whether predefined pages and offers, which other campaigns may use, can be changed too. */
  predefined: z.boolean().optional(),
  /** Host names; `*.example.com` matches every subdomain of example.com. */
  urlHosts: z.array(z.string()).readonly().optional(),
  maxBid: z.number().optional(),
  maxPayout: z.number().optional(),
});

export type Limits = Readonly<z.infer<typeof limitsSchema>>;

export const policyLimitsSchema = limitsSchema.extend({
  /** The requests that one act, and all acts of a UTC day, may send. */
  maxChanges: z.number().optional(),
});

export type PolicyLimits = Readonly<z.infer<typeof policyLimitsSchema>>;

/** If absent, all are allowed. */
const names = z.array(z.string()).readonly().optional();

/** The holder of a token. The token can only narrow what the configuration allows. */
export const holderSchema = z.strictObject({
  name: z.string(),
  /** `propose`: each write needs a person's yes. */
  access: z.enum(['read', 'propose', 'write']),
  tools: names,
  trackers: names,
  limits: limitsSchema,
});

export type Holder = Readonly<z.infer<typeof holderSchema>>;

/** Looks up what the tokens of a server allow now. */
export interface Holders {
  /** Returns undefined if the token was removed. Absent if the server keeps no list of tokens, as with OAuth. */
  holderNamed?(name: string): Promise<Holder | undefined>;
}
