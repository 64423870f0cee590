import { LRUCache } from 'lru-cache';
import type { Holder } from '../../guard/limits.ts';
import { RecentTables, SharedRoom } from '../../tools/recent-tables.ts';
import type { Trackers } from '../../tools/trackers/trackers.ts';

/** Holders whose tables are kept at a time; one may keep as much as a server for one person does, all together twice that. */
const maxHolders = 20;

/** How long a query may still take whose tables make room. */
const lastQueryMs = 30_000;

/** What a holder's calls work with: the trackers of the token, guards that know it, and tables that nobody else can query. */
export function contextsByHolder(trackers: Trackers): (holder: Holder | undefined) => Trackers {
  const tables = new LRUCache<string, RecentTables>({
    max: maxHolders,
    dispose: (oldest, _, reason) => reason === 'evict' && oldest.close(lastQueryMs),
  });
  const room = new SharedRoom();
  return (holder) => {
    if (!holder) throw new TypeError('a request came past the gate');
    const recentTables = tables.get(holder.name) ?? new RecentTables(room);
    tables.set(holder.name, recentTables);
    return trackers.with(
      (context) => ({ ...context, guard: context.guard.heldBy(holder), recentTables }),
      holder.trackers,
    );
  };
}
