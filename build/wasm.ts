import { main } from 'assemblyscript/asc';
import { keepCurrent } from './keep-current.ts';

/** Compiles the loop over the rows of large answers into the file that the program loads. */

const source = 'src/client/decode/read/wasm/read-rows.ts';

let binary: Uint8Array | string = '';
const { error, stderr } = await main([source, '-O3', '--runtime', 'stub', '--noAssert', '--outFile', 'module.wasm'], {
  writeFile: (_, contents) => {
    binary = contents;
  },
});
if (error) throw new Error(`${error.message}\n${stderr}`);

const written = `/** What \`npm run wasm\` makes of wasm/read-rows.ts, in base64. */
export const rowLoopModule =
  '${Buffer.from(binary).toString('base64')}';
`;
keepCurrent({ 'src/client/decode/read/row-loop-module.ts': written }, 'npm run wasm');
