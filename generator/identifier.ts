/**
 * The characters that this generator allows in JavaScript names. Letters beyond the basic plane and letters that
 * Unicode added after 15.1 are left out: compilers and runtimes of different ages disagree about these letters, and the
 * output must not depend on the version.
 */
const part =
  '[\\p{ID_Continue}--[\\u{10000}-\\u{10ffff}\\u088f\\u0897\\u0c5c\\u0cdc\\u1acf-\\u1aeb\\u1c89\\u1c8a\\ua7cb-\\ua7dc\\ua7f1]]'
const shape = new RegExp(`^(?=[\\p{ID_Start}$_])[${part}$]*$`, 'v')
const breaks = new RegExp(`[^${part}]+`, 'gv')

/** Whether a text is a valid identifier in TypeScript. Reserved words count as valid. */
export const isIdentifier = (name: string): boolean => shape.test(name)

/** Returns the runs of characters of `text` that identifiers may contain, without `$`. */
export const nameParts = (text: string): readonly string[] => text.split(breaks).filter(found => found !== '')

/** The words that cannot name a constant, parameter or type in a strict module. */
const reservedWords: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof undefined var void while with yield NaN Infinity globalThis`.split(
    /\s+/,
  ),
)

/** Whether a name is a reserved word, or `__proto__`, whose assignment would set a prototype. */
export const isReservedWord = (name: string): boolean => reservedWords.has(name) || name === '__proto__'
