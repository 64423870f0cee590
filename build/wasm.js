// Compiles the loop over the rows of large answers into the file that the program loads. With --check it only says whether that
// is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const source = 'src/client/decode/read/wasm/read-rows.ts';
const target = 'src/client/decode/read/row-loop-module.ts';

let binary;
const { error, stderr } = await main([source, '-O3', '--runtime', 'stub', '--noAssert', '--outFile', 'module.wasm'], {
  writeFile: (_, contents) => {
    binary = contents;
  },
});
if (error) {
  console.error(`${error.message}\n${stderr}`);
  process.exit(1);
}

const written = `/** What \`npm run wasm\` makes of wasm/read-rows.ts, in base64. */
export const rowLoopModule =
  '${Buffer.from(binary).toString('base64')}';
`;
if (readFileSync(target, { encoding: 'utf8', flag: 'a+' }) === written) process.exit();
if (process.argv.includes('--check')) {
  console.error(`${target} is not current: npm run wasm`);
  process.exit(1);
}
writeFileSync(target, written);
console.log(`${target} written`);
