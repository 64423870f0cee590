// Prints a CycloneDX list of the packages that users get: the bundled packages, and DuckDB. Build tools are left out.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { npm } from '../programs.js';

const bundled = new Set(JSON.parse(await readFile('node_modules/.cache/tracker-mcp/bundled.json', 'utf8')));
const [program, ...given] = npm;
const { stdout } = await promisify(execFile)(
  program,
  [...given, 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
  { maxBuffer: 64 * 1024 * 1024 },
);
const sbom = JSON.parse(stdout);
const isShipped = ({ name, version }) => bundled.has(`${name}@${version}`) || name.startsWith('@duckdb/');
sbom.components = sbom.components.filter(isShipped);
const keptRefs = new Set([
  sbom.metadata.component['bom-ref'],
  ...sbom.components.map((component) => component['bom-ref']),
]);
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => keptRefs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => keptRefs.has(other)) }));
console.log(JSON.stringify(sbom, null, 2));
