import { expressionOf } from '../pattern.ts'
import { CodeWriter } from './layout/code-writer.ts'
import { type Doc, group, hang, indent, line, print } from './layout/doc.ts'
import { array, call, object, quote } from './layout/typescript.ts'
import type { PatternName } from './pattern-names.ts'

/**
 * Matches characters that no file can hold or that hide text. Each character is escaped as `\u{...}`, so that two
 * adjacent surrogates do not become one character.
 */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu
const escaped = (unit: string): string => `\\u{${unit.charCodeAt(0).toString(16)}}`
/** The escape of a character in a pattern without Unicode mode, which does not read `\u{...}`. */
const unitEscaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Tells bundlers that they may drop a call whose result is not used. */
export const pure = '/* @__PURE__ */'

/**
 * Constants that checks share and that a module creates once on loading: patterns, sets of values and of member names,
 * tables of forms. A pattern of a named schema is named after the schema; every other constant is named after the first
 * place of its use. Equal values share one constant, but each named schema has its own pattern.
 */
export class Hoisted {
  /** The statements that declare the constants, in the order in which they were first needed. */
  readonly code = new CodeWriter()
  readonly #names = new Map<string, string>()
  readonly #claim: (wanted: string) => string
  /** The claimed names of the named schemas' patterns, keyed by RegExp literal. The first schema's name counts. */
  readonly #patterns = new Map<string, string>()
  /** The same names, keyed by constant name and RegExp literal, so that each schema has its own constant. */
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

  /** Returns the name of the constant with a pattern of the document; `name` is the place of the use. */
  pattern(pattern: string, name: string): string {
    const expression = regExp(pattern)
    const wanted = `${name}Pattern`
    const claimed = this.#ownPatterns.get(`${wanted} ${expression}`) ?? this.#patterns.get(expression)
    return this.#constant(wanted, expression, claimed)
  }

  /** Returns the name of the constant with an object's member names, in the given order; `[]` without names. */
  members(names: readonly string[], name: string): string {
    if (names.length === 0) return '[]'
    return this.#constant(`${name}Members`, array(names.map(quote)))
  }

  /**
   * Returns the name of the constant with a set of members to leave out. The elements of the set have literal types.
   */
  omitted(names: readonly string[], name: string): string {
    return this.#constant(`${name}Omitted`, ['new Set(', array(names.map(quote)), ' as const)'])
  }

  /**
   * Returns the name of the constant with a set of an enum's values; `values` is the expression of the list. Bundlers
   * cannot know that a set of a named list is pure, so the call is marked as pure.
   */
  values(values: Doc, name: string): string {
    const isList = typeof values !== 'string'
    return this.#constant(
      `${name}Set`,
      isList ? ['new Set<unknown>(', values, ')'] : call(`${pure} new Set<unknown>`, [values]),
    )
  }

  /** Returns the name of the constant with the set of all values in a named list except `left`. */
  valuesWithout(left: string, list: string, name: string): string {
    const others = group(['value =>', indent([line, group(['value !==', line, quote(left)])])])
    return this.#constant(`${name}Set`, call(`${pure} new Set<unknown>`, [call(`${pure} ${list}.filter`, [others])]))
  }

  /** Returns the name of the constant with a table that maps the values of a discriminator to checks. */
  forms(rows: readonly Doc[], name: string): string {
    return this.#constant(`${name}Forms`, object(rows, true))
  }

  /** Returns the name of the constant with the evaluation of the parts of a schema. */
  evaluation(evaluation: Doc, name: string): string {
    return this.#constant(`${name}Evaluation`, evaluation)
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

/**
 * Returns the literal of a pattern, with unprintable characters escaped. The `source` of a RegExp is safe to print
 * otherwise. Throws for a pattern that is no regular expression, which the check of the document reports before.
 */
export function regExp(pattern: string): string {
  const expression = expressionOf(pattern)
  if (!expression) throw new Error('a pattern that is no regular expression was not refused')
  const { source, flags, unicode } = expression
  return `/${source.replace(unprintable, unicode ? escaped : unitEscaped)}/${flags}`
}
