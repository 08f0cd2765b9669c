import type { RE2JS } from 're2js'
import type { Comparison } from '../../promql/language/operators.ts'
import type { Matcher } from '../../promql/matcher.ts'

/** The operators of line filters: contains, does not contain, matches a pattern, and does not match. */
export type LineFilterOperator = '|=' | '!=' | '|~' | '!~'

/** A condition on the line, with its alternatives. */
export interface LineFilter {
  readonly kind: 'line-filter'
  readonly operator: LineFilterOperator
  /** The texts, or the texts of the patterns: one must fit, or none of them for `!=` and `!~`. At least one. */
  readonly alternatives: readonly { readonly text: string; readonly pattern?: RE2JS }[]
}

/** The way to a value in a JSON line: names of members and indices of elements. */
export type JsonPath = readonly (string | number)[]

export interface JsonParser {
  readonly kind: 'json'
  /** The labels to make and where their values are; absent to make labels of all members. */
  readonly extractions?: readonly { readonly label: string; readonly path: JsonPath }[]
}

export interface LogfmtParser {
  readonly kind: 'logfmt'
  /** Whether the first malformed part of a line is an error and ends it; otherwise such parts are left out. */
  readonly strict: boolean
  /** Whether keys without a value make labels. */
  readonly keepEmpty: boolean
  /** The labels to make and the keys of their values; absent to make labels of all keys. */
  readonly extractions?: readonly { readonly label: string; readonly key: string }[]
}

export interface RegexpParser {
  readonly kind: 'regexp'
  readonly pattern: RE2JS
  /** The names of the groups that make labels. */
  readonly names: readonly string[]
}

/** A part of the expression of the parser `pattern`: a text of the line, or a capture; without a name it makes no label. */
export type PatternPart =
  { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'capture'; readonly name?: string }

export interface PatternParser {
  readonly kind: 'pattern'
  readonly parts: readonly PatternPart[]
}

/** A comparison of the value of a label with a number, a duration in nanoseconds, or a number of bytes. */
export interface QuantityFilter {
  readonly kind: 'number' | 'duration' | 'bytes'
  readonly name: string
  readonly operator: Comparison
  readonly value: number
}

/** A condition on labels. */
export type LabelCondition =
  | { readonly kind: 'matcher'; readonly matcher: Matcher }
  | QuantityFilter
  | { readonly kind: 'and' | 'or'; readonly left: LabelCondition; readonly right: LabelCondition }

export interface LabelFilter {
  readonly kind: 'label-filter'
  readonly condition: LabelCondition
}

/** A template: texts, and the names of the labels whose values stand between the texts. */
export type Template = readonly ({ readonly text: string } | { readonly label: string })[]

export interface LineFormat {
  readonly kind: 'line_format'
  readonly template: Template
}

/** Sets labels in turn: by a template, or by renaming the label `from`. */
export interface LabelFormat {
  readonly kind: 'label_format'
  readonly formats: readonly ({ readonly name: string; readonly template: Template } | LabelRenaming)[]
}

export interface LabelRenaming {
  readonly name: string
  readonly from: string
}

/** Removes labels, or all labels but some: those with a name, or only if a matcher fits their value. */
export interface LabelSelection {
  readonly kind: 'drop' | 'keep'
  readonly labels: readonly { readonly name: string; readonly matcher?: Matcher }[]
}

/** A stage of a pipeline. */
export type Stage =
  | LineFilter
  | JsonParser
  | LogfmtParser
  | RegexpParser
  | PatternParser
  | LabelFilter
  | LineFormat
  | LabelFormat
  | LabelSelection

/** A log query: the matchers of its streams, and the stages through which each entry passes in turn. */
export interface LogExpression {
  readonly kind: 'log'
  /** The offset in the text of the query, in UTF-16 code units from 0. */
  readonly position: number
  readonly matchers: readonly Matcher[]
  readonly stages: readonly Stage[]
}
