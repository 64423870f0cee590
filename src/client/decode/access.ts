import { isEmpty, isLeaf, isRecord, type Tree } from './read/tree.ts';
import { isErrorName, isMessageName, isStatusName } from './verdict/words.ts';

/** Words with which trackers say that the key was not accepted or that the API is off. */
const noAccess =
  /\bno.?access\b|access (is |was |has been )?(denied|not allowed|disabled|forbidden|refused)|(do|does)(n't|n’t| not) have (any )?access|not authori[sz]ed|unauthori[sz]ed|authenticat|\bapi.?key\b|(invalid|wrong|bad|incorrect|missing|unknown|valid) (access |secret |api.?)?(key|credentials)\b|\bkey\b.{0,20}\b(invalid|wrong|incorrect|missing|required|not)\b|\bapi (access )?(is |has been )?(disabled|off|turned off|not (enabled|active|allowed))|forbidden|permission|\blog ?in\b|session.{0,10}expired/i;

export function saysNoAccess(text: string): boolean {
  return noAccess.test(text);
}

/** `{access: "denied"}`, `<noaccess/>`: the one thing that an answer says, by its name and value, is that there is no access. */
export function deniesAccess(tree: Tree): string | undefined {
  if (!isRecord(tree)) return undefined;
  const [only, ...others] = Object.entries(tree);
  if (!only || others.length > 0) return undefined;
  const [name, value] = only;
  if (!isLeaf(value)) return isEmpty(value) && saysNoAccess(spaced(name)) ? spaced(name) : deniesAccess(value);
  // An error or a message says it in its value alone.
  if (isErrorName(name) || isStatusName(name) || isMessageName(name)) return undefined;
  const said = `${spaced(name)} ${value ?? ''}`.trim();
  return said.length < 60 && (saysNoAccess(said) || /^(has )?access (0|false|no|none)$/i.test(said)) ? said : undefined;
}

/** `NoAccess` and `no_access` as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2').replace(/\s+/g, ' ');
}
