import { ConfigurationFailure } from '../config.ts';
import { allTools } from '../tools/catalogue.ts';

/**
 * A name in TRACKER_TOOLS that is no tool's would silently offer less than was meant.
 *
 * @throws ConfigurationFailure that names the tools there are
 */
export function refuseUnknownTools(names: readonly string[] | undefined): void {
  const known = allTools.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationFailure(
    `--tools / TRACKER_TOOLS names ${JSON.stringify(unknown)}, which is no tool.`,
    `The tools are: ${known.join(', ')}.`,
  );
}
