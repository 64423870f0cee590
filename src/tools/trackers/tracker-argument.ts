import * as z from 'zod';
import type { Tool } from '../define-tool.ts';
import type { Trackers } from './trackers.ts';

/** The schemas of a tool as a server with these trackers lists them. With one tracker they are the tool's own. */
export function listedSchemas(tool: Tool, trackers: Trackers): Pick<Tool, 'input' | 'output'> {
  const { input, output } = tool;
  const names = trackers.offering(tool).map(({ name }) => name);
  const [first, ...others] = names;
  if (trackers.only || tool.asksNoTracker || first === undefined) return { input, output };
  const named = z.enum([first, ...others]);
  const usual = trackers.byDefault?.name;
  // Its name and its values say what it is; more would be paid for with every tool.
  const argument = tool.callForAll
    ? named.describe('Default: all').optional()
    : tool.access === 'read' && usual !== undefined && names.includes(usual)
      ? named.default(usual)
      : named;
  return {
    input: z.strictObject({ tracker: argument, ...input.shape }),
    output: z.object({ tracker: z.string().optional(), ...output.shape }),
  };
}

const checked = new WeakMap<Tool, z.ZodObject>();

/** What the arguments of a call may be, beside a tracker that is chosen already. */
export function inputWithTracker(tool: Tool): z.ZodObject {
  const known = checked.get(tool);
  const input = known ?? z.strictObject({ tracker: z.string().optional(), ...tool.input.shape });
  checked.set(tool, input);
  return input;
}
