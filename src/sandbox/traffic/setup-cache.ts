import type { Campaign } from '../rotation/campaign.ts';
import type { Database } from '../store/database.ts';
import { loadCampaigns } from './load-campaigns.ts';

type Campaigns = ReadonlyMap<number, Campaign>;

/** The set-up of the campaigns in memory; read again once anything but traffic was written. */
export class SetupCache {
  readonly #database: Database;
  #read: { readonly version: number; readonly campaigns: Campaigns } | undefined;
  #reading: { readonly version: number; readonly campaigns: Promise<Campaigns> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The set-up as committed now, where it is in memory: a change that was answered before this is asked is in it. */
  current(): Campaigns | undefined {
    return this.#read?.version === this.#database.setupVersion ? this.#read.campaigns : undefined;
  }

  /** Reads the set-up as committed now. Whoever asks meanwhile shares the answer. */
  load(): Promise<Campaigns> {
    const version = this.#database.setupVersion;
    if (this.#reading?.version !== version) this.#reading = { version, campaigns: this.#load(version) };
    return this.#reading.campaigns;
  }

  async #load(version: number): Promise<Campaigns> {
    try {
      const campaigns = await loadCampaigns(this.#database);
      if (version >= (this.#read?.version ?? 0)) this.#read = { version, campaigns };
      return campaigns;
    } finally {
      // A set-up that could not be read is asked for again by the next visitor.
      if (this.#reading?.version === version) this.#reading = undefined;
    }
  }
}
