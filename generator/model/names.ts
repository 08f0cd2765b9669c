import { isIdentifier, isReservedWord, nameParts } from '../identifier.ts'

/** The rules that convert names of a document to TypeScript names. No rule depends on the locale or on later names. */

/**
 * The names that a type cannot have, in addition to reserved words: TypeScript's own types, and globals that generated
 * code uses.
 */
const reservedTypes: ReadonlySet<string> = new Set(
  `any unknown never object string number boolean bigint symbol asserts infer is keyof readonly unique
  Array ArrayBuffer AsyncGenerator AsyncIterable Blob Boolean Function JSON Map Math Number Object Omit Partial Promise ReadableStream Readonly
  ReadonlyArray Record RegExp Set String Symbol Uint8Array`.split(/\s+/),
)

/** The names that a member of an object or class cannot have, because these names have a meaning in JavaScript. */
const reservedMembers: ReadonlySet<string> = new Set(['constructor', 'prototype', '__proto__', 'then'])

const isReservedType = (name: string): boolean => isReservedWord(name) || reservedTypes.has(name)
const isReservedMember = (name: string): boolean => reservedMembers.has(name)

/** Returns the words of a name, split at underscores and at characters that are illegal in identifiers. */
const words = (name: string): readonly string[] =>
  nameParts(name)
    .flatMap(part => part.split('_'))
    .filter(word => word !== '')

/** Returns `word` with an upper-case first letter. The other letters stay. */
export const upperFirst = (word: string): string => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length)
}

/** Converts `pet store` to `PetStore`. A name without any letter or digit is spelt out. */
export function pascal(name: string): string {
  const joined = words(name).map(upperFirst).join('')
  return legal(joined === '' ? spelling(name) : joined)
}

/** Converts `pet store` to `petStore`, and `HTTPGet` to `httpGet`. */
export const camel = (name: string): string =>
  legal(pascal(name).replace(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+$|^\p{Lu}/u, head => head.toLowerCase()))

const legal = (name: string): string => (isIdentifier(name) ? name : `_${name}`)

/**
 * Replaces each illegal character of a name by its code point in hexadecimal, so that `tea-cup` (`tea_2d_cup`) and
 * `tea.cup` (`tea_2e_cup`) stay different. A name that already contains such a spelling can still clash; `Names.claim`
 * resolves the clash.
 */
export function spelling(name: string): string {
  const spelt = [...name].map(character =>
    isIdentifier(`_${character}`) ? character : `_${character.codePointAt(0)?.toString(16)}_`,
  )
  return legal(spelt.join(''))
}

/**
 * Assigns unique names within one scope. Names that differ only in the case of their first letter count as equal,
 * because function names contain them (`checkTeaCup`). On a conflict, the first name in the document keeps its regular
 * form, and the later name is spelt out rather than numbered. An addition at the end of a document therefore changes no
 * earlier name.
 */
export class Names {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(upperFirst))
  }

  /**
   * Claims and returns the first free name of `wanted`. If all are taken, `_` is appended to the last name until the
   * name is free.
   */
  claim(...wanted: readonly string[]): string {
    let name = wanted.find(candidate => !this.#taken.has(upperFirst(candidate))) ?? wanted.at(-1) ?? '_'
    while (this.#taken.has(upperFirst(name))) name += '_'
    this.#taken.add(upperFirst(name))
    return name
  }
}

/** Whether a name is in the case of types: legal, and without a lower-case letter at its beginning. */
const isTypeCase = (name: string): boolean => isIdentifier(name) && !/^\p{Ll}/u.test(name)

/** Whether a name is in the case of methods: legal, and without an upper-case letter at its beginning. */
const isMethodCase = (name: string): boolean => isIdentifier(name) && !/^\p{Lu}/u.test(name)

/**
 * Returns the type name of a schema: the schema's name if it is in the case of types, else a name built from its words,
 * so that `payment_intent` becomes `PaymentIntent`. `Record` becomes `RecordSchema`.
 */
export function schemaName(name: string): string {
  const made = isTypeCase(name) ? name : pascal(name)
  return isReservedType(made) ? `${made}Schema` : made
}

/**
 * Returns the method name of an operation: its id if the id is in the case of methods, else a name built from the id's
 * words, so that `GetPets` becomes `getPets`. A method may have a reserved word as its name.
 */
export function operationName(id: string): string {
  const made = isMethodCase(id) ? id : camel(id)
  return isReservedMember(made) ? `${made}Operation` : made
}

/** Returns the name of an operation without an id, built from its method and path: `getFarmAnimalsByAnimalId`. */
export function madeOperationName(method: string, path: string): string {
  const parts = path
    .split(/\{([^{}]*)\}/)
    .map((part, i) => (i % 2 === 1 ? `By${pascal(part)}` : words(part).map(upperFirst).join('')))
    .join('')
  return `${method}${parts === '' ? 'Root' : parts}`
}

/**
 * Returns the member name of a group in the handlers of a document. The name is no reserved word, because destructuring
 * makes a variable of the name.
 */
export function groupName(tag: string): string {
  const made = isIdentifier(tag) ? tag : camel(tag)
  return isReservedWord(made) || isReservedMember(made) ? `${made}Group` : made
}
