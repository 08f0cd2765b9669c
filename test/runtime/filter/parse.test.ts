import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FilterSyntaxError } from '../../../runtime/filter/lex.ts'
import {
  parseFilter,
  type Argument,
  type Call,
  type Expression,
  type Group,
  type Literal,
  type Member,
} from '../../../runtime/filter/parse.ts'
import { printFilter } from './print.ts'
import { aipCases, unknownIds, type AipCase } from '../aip-cases.ts'

interface ParseCase extends AipCase {
  readonly input?: string
  readonly input_gen?: readonly (readonly [string, number])[]
  readonly valid: boolean
  readonly ast?: string
  readonly flat?: string
  readonly error?: { readonly kind: string; readonly pos?: number }
  readonly alt?: readonly string[]
}

/**
 * The cases whose inputs exceed the limits of conventions §8, keyed by the id of the case, with the exceeded length or
 * number. The limits are checked before any other fault is found.
 */
const limited: Readonly<Record<string, string>> = {
  'fp-354': '100000 characters; the double negation is not reached',
  'fp-355': '2000 comparisons',
  'fp-356': '2000 comparisons',
  'fp-357': '2000 comparisons',
  'fp-359': '400008 characters; the missing quote is not reached',
  'fp-362': 'a million characters, blank as they are',
}

const cases = aipCases<ParseCase>('filter-parse')

describe('a filter text of the cases', () => {
  it('is looked up in tables of existing cases', () => expect(unknownIds(limited, cases)).toEqual([]))

  it.each(cases)('$id is read as expected: $input', ({ id, input, input_gen: parts, valid, ast, flat, error, alt }) => {
    const text = input ?? (parts ?? []).map(([part, times]) => part.repeat(times)).join('')
    if (id in limited) {
      expect(fault(text)).toMatchObject({ kind: 'limit_exceeded' })
      if (valid) expect(alt).toContain('limit')
    } else if (valid) {
      expect([ast, flat]).toContain(shown(parseFilter(text)))
    } else {
      const { kind, position } = fault(text)
      expect({ kind, pos: error?.pos === undefined ? undefined : position }).toEqual({ pos: undefined, ...error })
    }
  })
})

describe('a filter text', () => {
  it.each([
    ['64 comparisons', Array(64).fill('a=1').join(' AND '), true],
    ['65 comparisons', Array(65).fill('a=1').join(' AND '), false],
    ['65 values of one group', `a = (${Array(65).fill('b').join(' OR ')})`, false],
    ['64 parentheses', `${'('.repeat(64)}a=1${')'.repeat(64)}`, true],
    ['65 parentheses', `${'('.repeat(65)}a=1${')'.repeat(65)}`, false],
    ['65 calls in each other', `${'f('.repeat(65)}${')'.repeat(65)}`, false],
    ['4096 characters', `a = ${'b'.repeat(4092)}`, true],
    ['4097 characters', `a = ${'b'.repeat(4093)}`, false],
    ['4096 characters of two units each', `a = ${'😀'.repeat(4092)}`, true],
  ])('may have %s or not', (_, text, allowed) => {
    if (allowed) expect(parseFilter(text)).toBeDefined()
    else expect(fault(text).kind).toBe('limit_exceeded')
  })

  it.each([String.raw`a = "\u0000"`, String.raw`a = "\ud83d"`, String.raw`a = "\ude80"`, 'a = "\0"', 'a = "\\'])(
    'does not contain text that no store keeps: %j',
    text => expect(() => parseFilter(text)).toThrow(FilterSyntaxError),
  )

  it('reports the place, the fault and the remedy', () => {
    expect(fault('zone = "eu')).toMatchObject({
      position: 7,
      kind: 'unterminated_string',
      message: 'unterminated string, close the quote',
    })
  })

  it('is parsed or refused, never a crash', () => {
    const token = fc.constantFrom(
      'a',
      '"',
      "'",
      '\\',
      '*',
      '(',
      ')',
      ' ',
      '.',
      ',',
      '-',
      '=',
      '!',
      '<',
      ':',
      'AND',
      'OR ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(token).map(parts => parts.join('')),
        ),
        text => {
          try {
            parseFilter(text)
          } catch (error) {
            expect(error).toBeInstanceOf(FilterSyntaxError)
          }
        },
      ),
    )
  })
})

describe('a printed filter', () => {
  it('is parsed as the original expression', () => {
    fc.assert(
      fc.property(group, expression => {
        expect(bare(parseFilter(printFilter(expression)))).toEqual(bare(expression))
      }),
    )
  })

  it('is empty for the empty filter', () => expect(printFilter(parseFilter(' '))).toBe(''))
})

function fault(text: string): FilterSyntaxError {
  try {
    parseFilter(text)
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error
    throw error
  }
  throw new Error(`${text.slice(0, 80)} was read`)
}

/** Returns an expression in the notation of the cases. */
function shown(value: Expression | Argument | Member): string {
  switch (value.kind) {
    case 'empty':
      return '(empty)'
    case 'and':
    case 'or':
      return `(${value.kind} ${value.terms.map(shown).join(' ')})`
    case 'sequence':
      return `(seq ${value.terms.map(shown).join(' ')})`
    case 'not':
      return `(not ${shown(value.term)})`
    case 'compare':
      return `(${value.operator} ${shown(value.left)} ${shown(value.value)})`
    case 'global':
      return `(global ${shown(value.value)})`
    case 'member':
      return `(member ${value.path.map(step => (step.kind === 'text' ? JSON.stringify(step.text) : shown(step))).join(' ')})`
    case 'call':
      return `(call ${[JSON.stringify(value.name), ...value.arguments.map(shown)].join(' ')})`
    case 'text':
      return `(text ${JSON.stringify(value.text)})`
    case 'string': {
      const [only = ''] = value.pieces
      if (value.pieces.length === 1) return `(str ${JSON.stringify(only)})`
      const parts = value.pieces.flatMap((piece, i) => [
        ...(i > 0 ? ['*'] : []),
        ...(piece ? [JSON.stringify(piece)] : []),
      ])
      return `(pat ${parts.join(' ')})`
    }
  }
}

/** Returns an expression without its positions, which printing does not keep. */
function bare(expression: Expression): unknown {
  return JSON.parse(JSON.stringify(expression, (name, value: unknown) => (name === 'at' ? undefined : value)))
}

const word = fc.stringMatching(/^[a-zA-Z0-9_*/][a-zA-Z0-9_*/é-]{0,8}$/).filter(text => !/^(?:AND|OR|NOT)$/.test(text))
const texts: fc.Arbitrary<Literal> = word.map(text => ({ kind: 'text', text }))
const strings: fc.Arbitrary<Literal> = fc
  .array(
    fc.string({ unit: 'grapheme', maxLength: 6 }).map(text => text.replaceAll('\0', '')),
    { minLength: 1, maxLength: 3 },
  )
  .map(pieces => ({ kind: 'string', pieces }))
const literal = fc.oneof(texts, strings)
const member: fc.Arbitrary<Member> = fc
  .array(literal, { minLength: 1, maxLength: 3 })
  .map(path => ({ kind: 'member', path, at: 0 }))
const call = fc
  .record({ name: word, given: fc.array(literal, { maxLength: 2 }) })
  .map(({ name, given }): Call => ({ kind: 'call', name, arguments: given, at: 0 }))
const operator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', ':')

const { group } = fc.letrec<{ group: Group; term: Group }>(tie => ({
  term: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('global'), value: fc.oneof(literal, call), at: fc.constant(0) }),
    fc.record({ kind: fc.constant('not'), term: tie('group'), at: fc.constant(0) }),
    fc.record({
      kind: fc.constant('compare'),
      left: fc.oneof(member, call),
      operator,
      value: fc.oneof(literal, call, tie('group')),
      at: fc.constant(0),
    }),
  ),
  group: fc.oneof(
    { maxDepth: 3 },
    tie('term'),
    fc.record({
      kind: fc.constantFrom('and', 'or', 'sequence'),
      terms: fc.array(tie('group'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}))
