import leven from 'leven';
import { type Setting, settings } from '../config/settings.ts';

/** Variables that look like a setting and are none, one line each. */
export interface UnknownVariables {
  /** What a person should know: the variable does nothing. */
  readonly warnings: readonly string[];
  /** What stops the start: with the variable ignored, more could be written than was meant. */
  readonly problems: readonly string[];
}

/** Looks for misspelled settings; the name of the nearest one goes with each. */
export function findUnknownVariables(environment: NodeJS.ProcessEnv): UnknownVariables {
  const names = Object.keys(environment).filter((name) => wordsOf(name).length > 0 && !isKnown(name));
  const found = names.map((name) => ({ name, ...nearestTo(name) }));
  const limiting = found.filter(({ setting, isMisspelling }) => setting.limitsWrites && isMisspelling);
  return {
    warnings: found
      .filter((unknown) => !limiting.includes(unknown) && environment[unknown.name]?.trim())
      .map(({ name, setting }) => `${name} is no setting and is ignored; did you mean ${setting.variable}?`),
    problems: limiting.map(
      ({ name, setting }) =>
        `${name} is no setting; did you mean ${setting.variable}? That one limits what may be written: correct the name, or unset it.`,
    ),
  };
}

/** Windows takes a variable by any case of its name. */
function isKnown(name: string): boolean {
  const meant = process.platform === 'win32' ? name.toUpperCase() : name;
  return settings.some(({ variable }) => variable === meant);
}

/** A name with more changes than this part of its letters has little to do with the other. */
const maxChangedPart = 0.6;

/** The setting that a name is nearest to, and whether it can be taken for it; even the nearest can be far. */
function nearestTo(name: string): { readonly setting: Setting; readonly isMisspelling: boolean } {
  const words = wordsOf(name);
  // A setting of the HTTP server is meant only by a name with its prefix. Any setting may have been given that prefix by mistake.
  const meant = settings.filter(({ variable }) => isOfServing(name) || !isOfServing(variable));
  const candidates = meant.map((setting) => {
    const known = wordsOf(setting.variable);
    const [text, counterpart] = [words.join(''), known.join('')];
    const isPart = text.length > 2 && (counterpart.includes(text) || text.includes(counterpart));
    // MAX_BID is also meant by BID_MAX.
    const sorted = leven([...words].sort().join(''), [...known].sort().join(''));
    const changed = Math.min(leven(text, counterpart), sorted) / Math.max(text.length, counterpart.length);
    const isLimit = setting.limitsWrites === true;
    // TRACKER_CURRENCY_MAX_BID holds the whole name of a limit, whatever else it is near to. Of two as near, the worse to miss.
    const distance = [isLimit && text.includes(counterpart) ? 0 : 1, isPart ? 0 : 1, changed, isLimit ? 0 : 1];
    return { setting, isMisspelling: isPart || changed < maxChangedPart, distance };
  });
  return candidates.reduce((nearest, one) => {
    const index = one.distance.findIndex((part, place) => part !== nearest.distance[place]);
    return (one.distance[index] ?? 0) < (nearest.distance[index] ?? 0) ? one : nearest;
  });
}

/** The prefix of every setting, that of the HTTP server's, and what people take for them. */
const prefix = /^(?:MCP_?)?TRACKERS?_(?:MCP_)?|^TRACKERMCP_/;

function isOfServing(name: string): boolean {
  return plain(name).includes('MCP_');
}

/** The words that tell settings apart: READ and ONLY of TRACKER_READ_ONLY; none if it is the variable of another program. */
function wordsOf(name: string): readonly string[] {
  const own = plain(name).replace(prefix, '');
  return own === plain(name) ? [] : own.split('_').filter(Boolean);
}

function plain(name: string): string {
  return name
    .trim()
    .toUpperCase()
    .replace(/[^A-Z\d]+/g, '_');
}
