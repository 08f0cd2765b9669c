import type { ApiError } from '../../../../runtime/errors.ts'
import {
  queryFeatureUnsupported,
  queryLimitExceeded,
  querySyntaxInvalid,
  queryTypeInvalid,
} from '../../../../output/observability/errors.ts'
import { expressionSize, maxPatternSize } from '../anchored-pattern.ts'

/** The deepest nesting of an expression. */
export const maxNesting = 500

/** The largest size of all patterns of a query together (`patternSize`). */
const maxPatterns = 5000

/** The languages of queries, as errors name them. */
export type QueryLanguage = 'PROMQL' | 'LOGQL' | 'TRACEQL'

/** The errors of a query. Positions are offsets in the text, in UTF-16 code units from 0. */
export class QueryFaults {
  readonly #field: string
  readonly #language: QueryLanguage
  #patterns = 0

  /** `field` is the field of the request that holds the query, such as `query`. */
  constructor(field: string, language: QueryLanguage = 'PROMQL') {
    this.#field = field
    this.#language = language
  }

  syntax(position: number, fault: string): ApiError {
    const metadata = { position: String(position), language: this.#language }
    return querySyntaxInvalid(
      `the query is malformed at position ${position}: ${fault}`,
      metadata,
      this.#details(fault),
    )
  }

  /** Refuses a selector that selects series by no label. */
  emptySelector(position: number): ApiError {
    return this.syntax(position, 'a selector needs a matcher that the empty string does not fit')
  }

  type(position: number, fault: string): ApiError {
    return queryTypeInvalid(`the query has a wrong type at position ${position}: ${fault}`, this.#details(fault))
  }

  /** Refuses a construct that this evaluator lacks, such as `fill`. */
  unsupported(position: number, feature: string): ApiError {
    const fault = `'${feature}' is not supported`
    return queryFeatureUnsupported(fault, { feature, position: String(position) }, this.#details(fault))
  }

  nesting(): ApiError {
    return this.#limit('nesting', `an expression may be nested ${maxNesting} deep`)
  }

  /** Counts a pattern before its compilation. Throws QUERY_LIMIT_EXCEEDED if the patterns of the query are too large. */
  admitPattern(text: string): void {
    const size = expressionSize(text)
    this.#patterns += size
    if (size <= maxPatternSize && this.#patterns <= maxPatterns) return
    const description = `a pattern may have a size of ${maxPatternSize}, and all patterns of a query ${maxPatterns}`
    throw this.#limit('pattern', description)
  }

  #limit(limit: string, description: string): ApiError {
    return queryLimitExceeded(description, { limit }, { quota: [{ subject: this.#field, description }] })
  }

  #details(description: string): { badRequest: { field: string; description: string }[] } {
    return { badRequest: [{ field: this.#field, description }] }
  }
}

/** Quotes a part of a query for a message, cut at 80 characters. */
export const quoted = (text: string): string => `'${text.length > 80 ? `${text.slice(0, 79)}…` : text}'`
