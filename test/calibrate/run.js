// Measures how often the statistics are right. Node 20 does not read TypeScript, so it is bundled first.
//   npm run calibrate                  comparisons of pages; -- 1000 lognormal: as many campaigns a setting in place of 300, of
//                                      the settings with that word in their names; some minutes
//   npm run calibrate -- troubles      how soon review_account finds a trouble; -- troubles 10 page: as many seeds in place of 50,
//                                      of the troubles with that word
//   npm run calibrate -- accounts 20   whether explain_change names the cause first, over its campaign and over an account, and
//                                      review_account in its group, where its money is three times what chance moves, with its day;
//                                      -- accounts 5 page all: also what else is named;
//                                      -- accounts 30 page all 1000: with other seeds
//   npm run calibrate -- quiet-accounts 20   in how many accounts where nothing happens explain_change names a sure cause; -- quiet-accounts 50 300:
//                                      of 300 visits alone
//   npm run calibrate -- late 1000     how often the range of sales to come holds, and how wide it is by that of one who knows the delays;
//                                      -- late 300 7 traffic: with visits of 7 days in place of 14, of the kinds with that word
//   npm run calibrate -- outcomes 200  how often the range of what a change brought holds, and better and worse are told apart;
//                                      -- outcomes 200 pays: of the worlds with that word
//   npm run calibrate -- quiet 365     what review_account finds where nothing happens, over so many days in place of 60: also faults
//                                      of tracking in accounts that are right, and networks that approve what they always did
//   npm run calibrate -- tracking 30   whether check_tracking names an injected fault first, and finds none where all is right, over the
//                                      account and of one campaign alone;
//                                      -- tracking 10 cents: as many seeds, of the faults with that word
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const word = process.argv[2] ?? '';
const own = ['late', 'outcomes', 'tracking', 'accounts', 'quiet-accounts'];
const name = own.includes(word) ? word : ['troubles', 'quiet'].includes(word) ? 'troubles' : 'calibrate';
const outfile = resolve(`node_modules/.cache/tracker-mcp-calibrate/${name}.js`);
await build({
  entryPoints: [`test/calibrate/${name}.ts`],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
});
await import(pathToFileURL(outfile));
