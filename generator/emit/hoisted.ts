import { CodeWriter } from './layout/code-writer.ts'
import { type Doc, group, hang, indent, line, print } from './layout/doc.ts'
import { array, call, object, quote } from './layout/typescript.ts'

/** What no file can hold, or what hides text: escaped in braces, so that halves of characters do not become whole. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu
const escaped = (unit: string): string => `\\u{${unit.charCodeAt(0).toString(16)}}`

/** Says to bundlers that a call may be left out when its result is not used. */
export const pure = '/* @__PURE__ */'

/**
 * Constants that checks share and that are made once when the module loads: patterns, sets of values and of member
 * names, tables of forms. Each is named for the first place that needs it, and given once for the same content.
 */
export class Hoisted {
  /** The statements that declare the constants, in the order in which they were first needed. */
  readonly code = new CodeWriter()
  readonly #names = new Map<string, string>()
  readonly #claim: (wanted: string) => string

  /** `claim` answers a name that is free in the file: the wanted one, or the like of it. */
  constructor(claim: (wanted: string) => string) {
    this.#claim = claim
  }

  /** A pattern of the document, in Unicode mode; `source` of a RegExp is safe to print. */
  pattern(pattern: string, name: string): string {
    const source = new RegExp(pattern, 'u').source.replace(unprintable, escaped)
    return this.#constant(`${name}Pattern`, `/${source}/u`)
  }

  /** The names of an object's members, in the order of the document. */
  members(names: readonly string[], name: string): string {
    if (names.length === 0) return '[]'
    return this.#constant(`${name}Members`, array(names.map(quote)))
  }

  /** A set of members to leave out, whose names its type knows. */
  omitted(names: readonly string[], name: string): string {
    return this.#constant(`${name}Omitted`, ['new Set(', array(names.map(quote)), ' as const)'])
  }

  /** A set of an enum's values; `values` is the expression of the list. Bundlers cannot tell that a named one is pure. */
  values(values: Doc, name: string): string {
    const isList = typeof values !== 'string'
    return this.#constant(
      `${name}Set`,
      isList ? ['new Set<unknown>(', values, ')'] : call(`${pure} new Set<unknown>`, [values]),
    )
  }

  /** The set of the values of a named list but one. */
  valuesWithout(left: string, list: string, name: string): string {
    const others = group(['value =>', indent([line, group(['value !==', line, quote(left)])])])
    return this.#constant(`${name}Set`, call(`${pure} new Set<unknown>`, [call(`${pure} ${list}.filter`, [others])]))
  }

  /** A table from a discriminator's values to checks. */
  forms(rows: readonly Doc[], name: string): string {
    return this.#constant(`${name}Forms`, object(rows, true))
  }

  #constant(wanted: string, value: Doc): string {
    const content = print(value)
    const known = this.#names.get(content)
    if (known !== undefined) return known
    const name = this.#claim(wanted)
    this.#names.set(content, name)
    this.code.print(group([`const ${name} =`, hang(value)]))
    return name
  }
}
