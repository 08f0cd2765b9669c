import { anchoredPattern, type AnchoredPattern } from '../promql/anchored-pattern.ts'
import { quoted, type QueryFaults } from '../promql/language/faults.ts'
import {
  intrinsics,
  type CompareOperator,
  type Condition,
  type Intrinsic,
  type Operand,
  type ValueType,
} from './expression.ts'
import { attributeName, literalOf } from './literals.ts'
import type { Token, TokenReader } from './tokens.ts'

/** The nodes of the grammar that are parts of a condition. */
export const conditionParts: ReadonlySet<string> = new Set([
  'And',
  'AttributeField',
  'FieldOp',
  'IntrinsicField',
  'Or',
  'Static',
])

/** What a part of a condition is, at a position. */
type Read =
  | { readonly position: number; readonly operand: Operand }
  | { readonly position: number; readonly condition: Condition }

const isIntrinsic = (text: string): text is Intrinsic => (intrinsics as readonly string[]).includes(text)

const compareOperators: readonly string[] = ['!=', '<', '<=', '=', '>', '>='] satisfies readonly CompareOperator[]

const isCompareOperator = (text: string): text is CompareOperator => compareOperators.includes(text)

/** Reads the condition of one filter of spans. */
export class ConditionReader {
  readonly #tokens: TokenReader
  readonly #faults: QueryFaults

  constructor(tokens: TokenReader, faults: QueryFaults) {
    this.#tokens = tokens
    this.#faults = faults
  }

  /** Returns the condition. Throws QUERY_SYNTAX_INVALID, QUERY_TYPE_INVALID and QUERY_FEATURE_UNSUPPORTED. */
  read(): Condition {
    const condition = this.#conditionOf(this.#chain())
    if (this.#tokens.next === undefined) return condition
    throw this.#unexpected()
  }

  /** Reads conditions with `&&` and `||`, which have one precedence in Tempo. */
  #chain(): Read {
    let left = this.#comparison()
    for (;;) {
      const operator = this.#tokens.take('And', 'Or')
      if (operator === undefined) return left
      const kind = operator.name === 'And' ? 'and' : 'or'
      const condition: Condition = {
        kind,
        left: this.#conditionOf(left),
        right: this.#conditionOf(this.#comparison()),
      }
      left = { position: left.position, condition }
    }
  }

  #comparison(): Read {
    let left = this.#unary()
    for (;;) {
      const operator = this.#tokens.take('FieldOp')
      if (operator === undefined) return left
      left = { position: left.position, condition: this.#compared(left, operator, this.#unary()) }
    }
  }

  #compared(one: Read, { position, text }: Token, other: Read): Condition {
    const [left, right] = [this.#operandOf(one), this.#operandOf(other)]
    if (text === '=~' || text === '!~') return this.#match(left, right, other.position, text)
    if (!isCompareOperator(text)) throw this.#faults.unsupported(position, text)
    const types = [typeOf(left), typeOf(right)]
    const [leftType, rightType] = types
    if (leftType !== rightType && !types.includes('attribute'))
      throw this.#faults.type(position, `a ${leftType} is compared with a ${rightType}`)
    const ordered = types.find(type => type === 'boolean' || type === 'kind' || type === 'status')
    if (ordered !== undefined && text !== '=' && text !== '!=')
      throw this.#faults.type(position, `a ${ordered} has no order`)
    return { kind: 'compare', operator: text, left, right }
  }

  #match(operand: Operand, right: Operand, position: number, operator: '!~' | '=~'): Condition {
    const type = typeOf(operand)
    if (type !== 'string' && type !== 'attribute') throw this.#faults.type(position, `a ${type} fits no pattern`)
    if (right.kind !== 'literal' || typeof right.value !== 'string')
      throw this.#faults.type(position, 'a pattern in quotes is expected')
    return { kind: 'match', operand, pattern: this.#pattern(right.value, position), isNegated: operator === '!~' }
  }

  #pattern(text: string, position: number): AnchoredPattern {
    this.#faults.admitPattern(text)
    try {
      return anchoredPattern(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw this.#faults.syntax(position, `${quoted(text)} is no pattern of RE2`)
    }
  }

  #unary(): Read {
    const { position } = this.#tokens
    if (this.#tokens.take('!')) throw this.#faults.unsupported(position, '!')
    if (this.#tokens.take('-')) return { position, operand: this.#negative(position) }
    if (this.#tokens.take('(')) {
      const inner = this.#chain()
      if (this.#tokens.take(')')) return inner
      throw this.#unexpected()
    }
    return { position, operand: this.#operand() }
  }

  #negative(position: number): Operand {
    const { operand } = { operand: undefined, ...this.#unary() }
    if (operand?.kind === 'literal' && typeof operand.value === 'number')
      return { kind: 'literal', value: -operand.value }
    throw this.#faults.unsupported(position, '-')
  }

  #operand(): Operand {
    const { next } = this.#tokens
    if (this.#tokens.take('Static') && next) return this.#literal(next)
    if (this.#tokens.take('IntrinsicField') && next) {
      if (isIntrinsic(next.text)) return { kind: 'intrinsic', name: next.text }
      throw this.#faults.unsupported(next.position, next.text)
    }
    if (this.#tokens.take('AttributeField') && next) return this.#attribute(next)
    throw this.#unexpected()
  }

  #literal({ position, text }: Token): Operand {
    if (text === 'nil' || text.startsWith('$')) throw this.#faults.unsupported(position, text)
    const value = literalOf(text)
    if (value === undefined) throw this.#faults.syntax(position, `${quoted(text)} is no value`)
    return { kind: 'literal', value }
  }

  #attribute({ position, text }: Token): Operand {
    const [, scope = '', name = ''] = /^(span|resource|)\.([\s\S]*)$/.exec(text) ?? []
    if (name === '') throw this.#faults.unsupported(position, text.replace(/\..*$/s, '.'))
    return {
      kind: 'attribute',
      scope: scope === 'span' || scope === 'resource' ? scope : 'any',
      name: attributeName(name),
    }
  }

  #conditionOf(read: Read): Condition {
    if ('condition' in read) return read.condition
    const { operand, position } = read
    if (operand.kind === 'literal' && typeof operand.value === 'boolean')
      return { kind: 'constant', value: operand.value }
    if (operand.kind === 'attribute')
      return { kind: 'compare', operator: '=', left: operand, right: { kind: 'literal', value: true } }
    throw this.#faults.type(position, `a condition is expected, not a ${typeOf(operand)}`)
  }

  #operandOf(read: Read): Operand {
    if ('operand' in read) return read.operand
    throw this.#faults.type(read.position, 'a value is expected, not a condition')
  }

  #unexpected(): Error {
    const { next, position } = this.#tokens
    return this.#faults.syntax(position, `unexpected ${next === undefined ? 'end of the filter' : quoted(next.text)}`)
  }
}

const intrinsicTypes: Readonly<Record<Intrinsic, ValueType>> = {
  duration: 'number',
  kind: 'kind',
  name: 'string',
  rootName: 'string',
  rootServiceName: 'string',
  status: 'status',
  traceDuration: 'number',
}

/** Returns the type of an operand. */
function typeOf(operand: Operand): ValueType {
  if (operand.kind === 'attribute') return 'attribute'
  if (operand.kind === 'intrinsic') return intrinsicTypes[operand.name]
  const { value } = operand
  if (typeof value === 'object') return value.type
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'boolean'
}
