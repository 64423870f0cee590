/** What is kept of a proposal. Nothing of it is believed before it is checked: others may write where it is kept. */
export interface StoredProposal {
  readonly proposal: unknown;
  readonly decision?: unknown;
  /** When a server took it up to send it; absent while none has. */
  readonly takenAt?: Date | undefined;
  /** What became of it. */
  readonly ending?: unknown;
}

/** Where servers and those who decide meet. Servers that share trackers must share this, or each would send what is agreed to. */
export interface ProposalStore {
  /** Keeps a proposal; who reads meanwhile finds all of it or nothing. */
  put(id: string, proposal: object): Promise<void>;
  find(id: string): Promise<StoredProposal | undefined>;
  /** The IDs of all that are kept. */
  list(): Promise<readonly string[]>;
  /** The IDs of those that somebody decided about and no server took; asked often. */
  decided(): Promise<readonly string[]>;
  decide(id: string, decision: object): Promise<void>;
  /** @returns whether this is the first to take it, now and ever, in whatever process; on disk when this returns */
  take(id: string): Promise<boolean>;
  finish(id: string, ending: object): Promise<void>;
  /** Forgets a proposal that can no longer be sent. */
  remove(id: string): Promise<void>;
}
