import { expect, it } from 'vitest';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import { openApprovedWrites } from '../../src/tools/approved-writes.ts';
import { setUpApproval } from '../support/approving.ts';
import { connect, contextFor } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { until } from './support/call.ts';
import { startRedis } from './support/redis-server.ts';
import { openReplica } from './support/two-replicas.ts';

it('what a person approves while Redis is away is sent once it is back', async () => {
  const redis = await startRedis();
  const [{ tracker }, setup] = await Promise.all([startKeepingTracker(), setUpApproval()]);
  const replica = await openReplica([redis.url]);
  const proposals = setup.proposals();
  const policy = { readOnly: false, limits: {}, confirm: 'approve' as const, proposals };
  const guard = new Guard(policy, undefined, new Changes(undefined, replica.changes));
  const context = { ...contextFor({ url: tracker.url }), guard };
  const failures: unknown[] = [];
  const writes = openApprovedWrites(proposals, context, (error) => failures.push(error));
  const server = await connect({ context });
  const { proposal } = await server.data<{ proposal: { proposal_id: string } }>('edit_campaign', {
    campaign_id: 1,
    bid: 2,
  });
  const stateOf = async () => (await proposals.find(proposal.proposal_id))?.state;
  await redis.kill();
  await until(() => replica.away() !== undefined);
  await setup.decide(proposal.proposal_id);
  await writes.look();
  expect([await stateOf(), tracker.writes()]).toEqual(['approved', []]);
  await redis.restart();
  await until(() => replica.away() === undefined);
  await writes.look();
  expect([await stateOf(), tracker.writes().length]).toEqual(['done', 1]);
  expect(failures).toEqual([]);
});
