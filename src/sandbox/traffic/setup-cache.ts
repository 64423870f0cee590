import type { Database } from '../store/database.ts';
import type { Campaign } from './campaign.ts';
import { loadCampaigns } from './load-campaigns.ts';

/** The set-up of the campaigns in memory; read again once anything but traffic was written. */
export class SetupCache {
  readonly #database: Database;
  #version = -1;
  #campaigns: Promise<ReadonlyMap<number, Campaign>> = Promise.resolve(new Map());

  constructor(database: Database) {
    this.#database = database;
  }

  /** The set-up as committed now: a change that was answered before this is asked is in it. */
  campaigns(): Promise<ReadonlyMap<number, Campaign>> {
    const version = this.#database.setupVersion;
    if (version !== this.#version) {
      const loading = loadCampaigns(this.#database);
      this.#version = version;
      this.#campaigns = loading;
      // A set-up that could not be read is asked for again by the next visitor.
      loading.catch(() => {
        if (this.#campaigns === loading) this.#version = -1;
      });
    }
    return this.#campaigns;
  }
}
