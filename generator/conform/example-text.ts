import { formatOf } from './formats.ts'
import { expressionOf } from '../pattern.ts'
import { textFor } from './pattern/text.ts'

/** The constraints of a text; the lengths are in characters. */
export interface TextRules {
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
}

/**
 * Returns a text that keeps all rules; undefined if no text is found. Different values of `variant` give different
 * texts where the candidates allow it.
 */
export function textExample({ variant = 0, ...rules }: TextRules & { readonly variant?: number }): string | undefined {
  const { format, minLength = 0, pattern } = rules
  const length = Math.max(minLength, 1) + variant
  const plain = variant === 0 ? ['example', 'example-1', 'a', '1'] : [`example${variant}`, `a${variant}`, `${variant}`]
  const candidates = [
    ...(variant === 0 ? (formatOf(format)?.valid ?? []) : []),
    ...plain,
    'x'.repeat(Math.min(length, maxPadding)),
    ...(pattern === undefined ? [] : [textFor(pattern, length), textFor(pattern, rules.maxLength ?? length)]),
    ...(variant === 0 ? [''] : []),
  ]
  return candidates.find(text => text !== undefined && keeps(text, rules))
}

/** Whether a text keeps all rules. An unknown format allows every text. */
export function keeps(text: string, { format, maxLength = Infinity, minLength = 0, pattern }: TextRules): boolean {
  const length = [...text].length
  if (length < minLength || length > maxLength) return false
  if (pattern !== undefined && expressionOf(pattern)?.test(text) !== true) return false
  return formatOf(format)?.isValid(text) ?? true
}

const maxPadding = 100_000
