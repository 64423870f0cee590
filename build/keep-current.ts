import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes the files that are made of others. With --check among the arguments it only says which are not current.
 *
 * @param files their contents by their paths
 * @param command what writes them
 */
export function keepCurrent(files: Readonly<Record<string, string>>, command: string): void {
  const isCheck = process.argv.includes('--check');
  for (const [file, content] of Object.entries(files)) {
    if (read(file) === content) continue;
    if (isCheck) {
      console.error(`${file} is not current: ${command}`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, content);
      console.log(`${file} written`);
    }
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
