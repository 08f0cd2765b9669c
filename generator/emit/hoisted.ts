import { CodeWriter } from './layout/code-writer.ts'
import { type Doc, group, hang, indent, line, print } from './layout/doc.ts'
import { array, call, object, quote } from './layout/typescript.ts'
import type { PatternName } from './pattern-names.ts'

/** What no file can hold, or what hides text: escaped in braces, so that halves of characters do not become whole. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu
const escaped = (unit: string): string => `\\u{${unit.charCodeAt(0).toString(16)}}`

/** Says to bundlers that a call may be left out when its result is not used. */
export const pure = '/* @__PURE__ */'

/**
 * Constants that checks share and that are made once when the module loads: patterns, sets of values and of member
 * names, tables of forms. A pattern of a named schema is named after the schema, and every other constant after the
 * first place of its use. Equal values share one constant; only named schemas never share theirs.
 */
export class Hoisted {
  /** The statements that declare the constants, in the order in which they were first needed. */
  readonly code = new CodeWriter()
  readonly #names = new Map<string, string>()
  readonly #claim: (wanted: string) => string
  /** The claimed names of the named schemas' patterns, by RegExp literal: of several, the first schema's. */
  readonly #patterns = new Map<string, string>()
  /** The same names by the place of their schema and the RegExp literal, so that each schema has its own constant. */
  readonly #ownPatterns = new Map<string, string>()

  /**
   * `claim` returns a free name in the file: the wanted name, or the wanted name with a suffix. The names of `patterns`
   * are claimed before all others, so that no place takes the name of a schema's pattern.
   */
  constructor(claim: (wanted: string) => string, patterns: readonly PatternName[] = []) {
    this.#claim = claim
    for (const { pattern, name } of patterns) {
      const expression = regExp(pattern)
      const claimed = claim(name)
      this.#ownPatterns.set(`${name} ${expression}`, claimed)
      if (!this.#patterns.has(expression)) this.#patterns.set(expression, claimed)
    }
  }

  /** Returns the constant of a pattern of the document; `name` is the place of the use. */
  pattern(pattern: string, name: string): string {
    const expression = regExp(pattern)
    const wanted = `${name}Pattern`
    const claimed = this.#ownPatterns.get(`${wanted} ${expression}`) ?? this.#patterns.get(expression)
    return this.#constant(wanted, expression, claimed)
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

  #constant(wanted: string, value: Doc, claimed?: string): string {
    const key = claimed ?? print(value)
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = claimed ?? this.#claim(wanted)
    this.#names.set(key, name)
    this.code.print(group([`const ${name} =`, hang(value)]))
    return name
  }
}

/** The literal of a pattern in Unicode mode; `source` of a RegExp is safe to print. */
const regExp = (pattern: string): string => `/${new RegExp(pattern, 'u').source.replace(unprintable, escaped)}/u`
