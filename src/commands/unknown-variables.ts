import leven from 'leven';
import { type Setting, settings } from '../config/settings.ts';

/** Variables that look like settings but are not, one line each. */
export interface UnknownVariables {
  /** The variable has no effect. */
  readonly warnings: readonly string[];
  /** The start is refused: without the intended setting, more could be written. */
  readonly problems: readonly string[];
}

/** Finds misspelt settings and the nearest setting for each. */
export function findUnknownVariables(environment: NodeJS.ProcessEnv): UnknownVariables {
  const names = Object.keys(environment).filter((name) => wordsIn(name).length > 0 && !isSetting(name));
  const unknown = names.map((name) => ({ name, ...nearestSetting(name) }));
  const isLimit = ({ setting, isMisspelling }: (typeof unknown)[number]) => setting.limitsWrites && isMisspelling;
  return {
    warnings: unknown
      .filter((one) => !isLimit(one) && environment[one.name]?.trim())
      .map(({ name, setting }) => `${name} is not a setting and is ignored; did you mean ${setting.variable}?`),
    problems: unknown
      .filter(isLimit)
      .map(
        ({ name, setting }) =>
          `${name} is not a setting; did you mean ${setting.variable}? That setting limits what may be written: correct the name, or unset it.`,
      ),
  };
}

/** Windows ignores the letter case of variable names. */
function isSetting(name: string): boolean {
  const exact = process.platform === 'win32' ? name.toUpperCase() : name;
  return settings.some(({ variable }) => variable === exact);
}

/** If a larger part of its letters differs, a name is not a misspelling. */
const maxChangedPart = 0.6;

/** The nearest setting, however far, and whether the name can be a misspelling of it. */
function nearestSetting(name: string): { readonly setting: Setting; readonly isMisspelling: boolean } {
  const words = wordsIn(name);
  // The HTTP prefix may be put before any setting by mistake. Without it, no HTTP setting is meant.
  const possible = settings.filter(({ variable }) => hasHttpPrefix(name) || !hasHttpPrefix(variable));
  const candidates = possible.map((setting) => {
    const settingWords = wordsIn(setting.variable);
    const [text, settingText] = [words.join(''), settingWords.join('')];
    const isPart = text.length > 2 && (settingText.includes(text) || text.includes(settingText));
    // BID_MAX is MAX_BID.
    const sorted = leven([...words].sort().join(''), [...settingWords].sort().join(''));
    const changed = Math.min(leven(text, settingText), sorted) / Math.max(text.length, settingText.length);
    const isLimit = setting.limitsWrites === true;
    // A limit whose whole name is in the text comes first, such as TRACKER_CURRENCY_MAX_BID; at equal distance, any limit.
    const distance = [isLimit && text.includes(settingText) ? 0 : 1, isPart ? 0 : 1, changed, isLimit ? 0 : 1];
    return { setting, isMisspelling: isPart || changed < maxChangedPart, distance };
  });
  return candidates.reduce((nearest, one) => {
    const index = one.distance.findIndex((part, position) => part !== nearest.distance[position]);
    return (one.distance[index] ?? 0) < (nearest.distance[index] ?? 0) ? one : nearest;
  });
}

function hasHttpPrefix(name: string): boolean {
  return normalize(name).includes('MCP_');
}

/** The prefixes of settings, and common mistakes for them. */
const prefix = /^(?:MCP_?)?TRACKERS?_(?:MCP_)?|^TRACKERMCP_/;

/** READ and ONLY for TRACKER_READ_ONLY; empty for a variable of another program. */
function wordsIn(name: string): readonly string[] {
  const rest = normalize(name).replace(prefix, '');
  return rest === normalize(name) ? [] : rest.split('_').filter(Boolean);
}

function normalize(name: string): string {
  const upper = name.trim().toUpperCase();
  return upper.replace(/[^A-Z\d]+/g, '_');
}
