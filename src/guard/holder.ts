import * as z from 'zod';

/** What the holder of a token and an approver are called, in files, logs and the audit trail. */
export const personName = z.string().regex(/^[\w.@-]{1,100}$/, 'must be 1 to 100 letters, digits or any of . _ @ -');

/** What an agent may write. An absent limit allows everything. */
export const limitsSchema = z.strictObject({
  campaigns: z.array(z.number()).readonly().optional(),
  /** With campaigns limited: whether predefined pages and offers, which other campaigns may use, can be changed too. */
  predefined: z.boolean().optional(),
  /** Host names; `*.example.com` stands for every subdomain of example.com. */
  urlHosts: z.array(z.string()).readonly().optional(),
  maxBid: z.number().optional(),
  maxPayout: z.number().optional(),
});

export type Limits = Readonly<z.infer<typeof limitsSchema>>;

/** Names of tools or trackers; absent: all. */
const names = z.array(z.string()).readonly().optional();

/** Who calls, if a token says so, and what that token lets through of what the configuration does. */
export const holderSchema = z.strictObject({
  name: z.string(),
  /** `propose` may write if a person agrees to it. */
  access: z.enum(['read', 'propose', 'write']),
  tools: names,
  trackers: names,
  limits: limitsSchema,
});

export type Holder = Readonly<z.infer<typeof holderSchema>>;

/** Knows what the tokens of a server allow now. */
export interface Holders {
  /** Undefined if there is no such token any more. Absent if only a token itself says so: then what it allowed last counts. */
  holderNamed?(name: string): Promise<Holder | undefined>;
}
