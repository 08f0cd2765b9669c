import { isIdentifier, isReservedWord, nameParts } from '../identifier.ts'

/** How names of a document become names of TypeScript. Nothing here depends on locale or on what comes later. */

/** What types cannot be called beside that: TypeScript's own names, and globals that generated code uses. */
const reservedTypes: ReadonlySet<string> = new Set(
  `any unknown never object string number boolean bigint symbol asserts infer is keyof readonly unique
  Array AsyncGenerator Blob Boolean Function JSON Map Math Number Object Omit Partial Promise ReadableStream Readonly
  ReadonlyArray Record RegExp Set String Symbol Uint8Array`.split(/\s+/),
)

/** What members of objects and classes cannot be called: the names mean something else there. */
const reservedMembers: ReadonlySet<string> = new Set(['constructor', 'prototype', '__proto__', 'then'])

const isReservedType = (name: string): boolean => isReservedWord(name) || reservedTypes.has(name)
const isReservedMember = (name: string): boolean => reservedMembers.has(name)

/** The words of a name: parts between characters that identifiers cannot hold, and between underscores. */
const words = (name: string): readonly string[] =>
  nameParts(name)
    .flatMap(part => part.split('_'))
    .filter(word => word !== '')

/** `word` -> `Word`; the rest stays. */
export const upperFirst = (word: string): string => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length)
}

const lowerFirst = (word: string): string => {
  const [first = ''] = word
  return first.toLowerCase() + word.slice(first.length)
}

/** `pet store` -> `PetStore`; what holds no letter or digit at all is spelt out. */
export function pascal(name: string): string {
  const joined = words(name).map(upperFirst).join('')
  return legal(joined === '' ? spelling(name) : joined)
}

/** `pet store` -> `petStore`. */
export const camel = (name: string): string => legal(lowerFirst(pascal(name)))

const legal = (name: string): string => (isIdentifier(name) ? name : `_${name}`)

/** A name written out so that no two names are written alike: `tea-cup` -> `tea_2d_cup`. */
export function spelling(name: string): string {
  const spelt = [...name].map(character =>
    isIdentifier(`_${character}`) ? character : `_${character.codePointAt(0)?.toString(16)}_`,
  )
  return legal(spelt.join(''))
}

/**
 * Gives out names of one scope, each once; names that differ in the case of their first letter alone count as one, since
 * functions are named after them (`checkTeaCup`). The first in the order of the document keeps the name that the rule
 * gives; a later one that would get the same is spelt out, and never counted, so what is added behind changes no name
 * before.
 */
export class Names {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(upperFirst))
  }

  /** The first of the names wanted that is free; else the last of them, marked with `_` until it is. */
  claim(...wanted: readonly string[]): string {
    let name = wanted.find(candidate => !this.#taken.has(upperFirst(candidate))) ?? wanted.at(-1) ?? '_'
    while (this.#taken.has(upperFirst(name))) name += '_'
    this.#taken.add(upperFirst(name))
    return name
  }
}

/** The type's name of a schema: kept where it is legal, else made of its words; `Record` -> `RecordSchema`. */
export function schemaName(name: string): string {
  const made = isIdentifier(name) ? name : pascal(name)
  return isReservedType(made) ? `${made}Schema` : made
}

/** The method's name of an operation: its id where that is legal, else made of its words; reserved words are fine. */
export function operationName(id: string): string {
  const made = isIdentifier(id) ? id : camel(id)
  return isReservedMember(made) ? `${made}Operation` : made
}

/** The name of an operation without an id: method and path, `getFarmAnimalsByAnimalId`. */
export function madeOperationName(method: string, path: string): string {
  const parts = path
    .split(/\{([^{}]*)\}/)
    .map((part, i) => (i % 2 === 1 ? `By${pascal(part)}` : words(part).map(upperFirst).join('')))
    .join('')
  return `${method}${parts === '' ? 'Root' : parts}`
}

/** The member of a group in the handlers of a document; reserved words cannot be taken apart from an object. */
export function groupName(tag: string): string {
  const made = isIdentifier(tag) ? tag : camel(tag)
  return isReservedWord(made) || isReservedMember(made) ? `${made}Group` : made
}
