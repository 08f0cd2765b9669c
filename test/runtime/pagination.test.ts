import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../runtime/errors.ts'
import type { ListFields, SortKey } from '../../runtime/filter/types.ts'
import { pageTokens, type PageTokens } from '../../runtime/page-token.ts'
import { listInMemory, listParameters, listQuery, nextToken, type ListParameters } from '../../runtime/pagination.ts'
import { aipCases, unknownIds, type AipCase } from './aip-cases.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'

interface Listed {
  readonly names: readonly string[]
  readonly next: boolean
}

interface Step {
  readonly op: string
  readonly params?: Readonly<Record<string, string>>
  readonly token_from?: number | null
  readonly step?: number
  readonly how?: string
  readonly names?: readonly string[]
  readonly expect?: Listed | { readonly error: { readonly field: string | null } }
}

interface PageCase extends AipCase {
  readonly group: string
  readonly words: string
  readonly setup?: { readonly count: number }
  readonly steps?: readonly Step[]
}

const cases = aipCases<PageCase>('pagination')

/** The reasons why this file does not run a case, or the place of the test, keyed by the id of the case. */
const elsewhere: Readonly<Record<string, string>> = {
  'pg-085': 'rights are asked before a list is read; a token carries none',
  'pg-094': 'a property below',
  'pg-096': 'a property below',
  'pg-097': 'the test of the last page below',
  'pg-100': 'allows what need not be',
}

const servers: ListFields = {
  fields: [
    { name: 'name', type: 'STRING', operators: ['='], sortable: true },
    { name: 'zone', type: 'STRING', operators: ['='] },
  ],
  defaultOrder: 'name',
  key: 'name',
}

const tokensOf = (key: string): PageTokens =>
  pageTokens(text => createHmac('sha256', key).update(text).digest('binary'))

describe('a walk of the cases', () => {
  it('is looked up in tables of existing cases', () => expect(unknownIds(elsewhere, cases)).toEqual([]))

  const walks = cases.filter(({ id, group }) => group !== 'client' && !(id in elsewhere))

  it.each(walks)('$id goes as expected: $words', ({ setup, steps }) => {
    const server = new Server(setup?.count ?? 0)
    expect(steps?.length).toBeGreaterThan(0)
    for (const step of steps ?? []) {
      if (step.op !== 'list') server.change(step)
      else expect(server.list(step)).toEqual(expectedOf(step))
    }
  })
})

describe('a list call', () => {
  const tokens = tokensOf('key')
  const rows = names('s001..s045').map(name => ({ name, zone: 'a' }))
  const call = (parameters: ListParameters, scope = '/vms?'): { names: string[]; token: string } => {
    const query = listQuery(parameters, servers, tokens, scope, 0)
    const { items, next } = listInMemory(rows, query)
    return { names: items.map(item => ('name' in item ? item.name : '')), token: nextToken(tokens, scope, query, next) }
  }

  it('has an empty token on the last page only', () => {
    expect(call({ page_size: 45 }).token).toBe('')
    expect(call({ page_size: 44 }).token).not.toBe('')
  })

  it('refuses a token of another scope with a message', () => {
    const { token } = call({})
    expect(() => call({ page_token: token }, '/vms?force')).toThrow(
      'page_token: is no token of a call with these parameters; ask for the first page again, without page_token',
    )
  })

  it.each<[string, ListParameters, first: string, fields: readonly string[]]>([
    [
      'all',
      { page_size: -1, filter: '(', order_by: 'zzz', page_token: 'x' },
      'FIELD_INVALID',
      ['page_size', 'filter', 'order_by', 'page_token'],
    ],
    ['a filter and an order', { filter: 'zzz = 1', order_by: 'zzz' }, 'FILTER_INVALID', ['filter', 'order_by']],
    ['an order and a token', { order_by: 'zzz', page_token: 'x' }, 'ORDER_BY_INVALID', ['order_by', 'page_token']],
    ['a token', { page_token: 'x' }, 'PAGE_TOKEN_INVALID', ['page_token']],
  ])('reports the faults of %s together', (_, parameters, first, fields) => {
    const error = thrownBy(() => call(parameters))
    expect(error.reason).toBe(first)
    expect(error.details.badRequest?.map(({ field }) => field)).toEqual(fields)
  })

  it('keeps the position of the first fault in a filter', () => {
    expect(thrownBy(() => call({ filter: 'zzz = 1', order_by: 'zzz' })).metadata).toEqual({ position: '0' })
  })

  it('refuses a token after a change of the default order', () => {
    const { token } = call({})
    const changed = { ...servers, defaultOrder: 'name desc' }
    expect(() => listQuery({ page_token: token }, changed, tokens, '/vms?', 0)).toThrow(ApiError)
  })

  it('has parameters that a route can declare', () => {
    const parameters: readonly Parameter[] = listParameters
    expect(parameters.map(({ name }) => name)).toEqual(['page_size', 'page_token', 'filter', 'order_by'])
  })

  it('neither skips nor repeats an unchanged row, whatever is inserted and deleted', () => {
    const row = fc.record({ name: fc.stringMatching(/^[a-f]{1,2}$/), zone: fc.constantFrom('', 'x', '😀', '～') })
    const change = fc.array(fc.tuple(fc.boolean(), row), { maxLength: 6 })
    const list = { ...servers, fields: servers.fields.map(field => ({ ...field, sortable: true as const })) }
    fc.assert(
      fc.property(
        fc.uniqueArray(row, { selector: ({ name }) => name, maxLength: 30 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', 'zone', 'zone desc', 'name desc'),
        fc.integer({ min: 1, max: 7 }),
        (initial, changes, order, size) => {
          const stored = new Map(initial.map(each => [each.name, each]))
          const still = new Map(stored)
          const seen: string[] = []
          const parameters = { page_size: size, order_by: order }
          let token = ''
          for (let page = 0; page === 0 || token !== ''; page += 1) {
            const query = listQuery({ ...parameters, page_token: token }, list, tokens, '', 0)
            const { items, next } = listInMemory(stored.values(), query)
            seen.push(...items.flatMap(item => ('name' in item ? [item.name] : [])))
            token = nextToken(tokens, '', query, next)
            for (const [isInsert, each] of changes[page] ?? []) {
              still.delete(each.name)
              if (isInsert) stored.set(each.name, each)
              else stored.delete(each.name)
            }
          }
          const stoodStill = seen.filter(name => still.has(name))
          expect(stoodStill.toSorted()).toEqual([...still.keys()].toSorted())
        },
      ),
    )
  })
})

describe('a page token', () => {
  const key = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const keys: fc.Arbitrary<SortKey[]> = fc.array(
    key.filter(value => !Object.is(value, -0)),
    { minLength: 1, maxLength: 4 },
  )
  const tokens = tokensOf('key')

  it('returns its sort keys, needs no escaping and stays small', () => {
    fc.assert(
      fc.property(keys, fc.string(), (given, scope) => {
        const token = tokens.sign(`${scope}${'x'.repeat(10_240)}`, given)
        expect(token).toMatch(/^[\w-]+$/)
        expect(token.length).toBeLessThan(2048)
        expect(tokens.open(`${scope}${'x'.repeat(10_240)}`, token)).toEqual(given)
      }),
    )
  })

  it('is refused with any bit changed, cut, lengthened or under another key', () => {
    const token = tokens.sign('scope', ['db-1', null])
    const bytes = Buffer.from(token, 'base64url')
    const changed = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes)
      copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      return copy.toString('base64url')
    })
    for (const bad of [
      ...changed,
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
      'A',
      '',
      tokensOf('other').sign('scope', []),
    ])
      expect(() => tokens.open('scope', bad)).toThrow(ApiError)
  })

  it('has one canonical form', () => {
    const token =
      [1, 2, 3].map(length => tokens.sign('', ['x'.repeat(length)])).find(({ length }) => length % 4 === 2) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(token.at(-1) ?? '')
    const twin = `${token.slice(0, -1)}${alphabet[last + 1]}`
    expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(token, 'base64url'))
    expect(() => tokens.open('', twin)).toThrow(ApiError)
  })

  it('is refused for any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[\w-]*$/)), text => {
        expect(() => tokens.open('', text)).toThrow(ApiError)
      }),
    )
  })
})

function thrownBy(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** A list of servers as in the cases, which uses `listQuery` and `listInMemory`. */
class Server {
  readonly #rows: Map<string, { name: string; zone: string }>
  readonly #tokens: string[] = []
  #key = 'key'

  constructor(count: number) {
    const all = count === 0 ? [] : names(`s001..s${String(count).padStart(3, '0')}`)
    this.#rows = new Map(all.map(name => [name, { name, zone: 'a' }]))
  }

  change({ op, names: named = [], step: of = 0, how = '' }: Step): void {
    this.#tokens.push(op === 'tamper' ? tampered(this.#tokens[of] ?? '', how) : '')
    if (op === 'restart') this.#key = 'another'
    for (const name of named.flatMap(names)) {
      if (op === 'delete') this.#rows.delete(name)
      if (op === 'insert') this.#rows.set(name, { name, zone: 'a' })
    }
  }

  list({ params = {}, token_from: from }: Step): Outcome {
    const { _collection: scope = 'zones/a/servers', page_size: size, ...others } = params
    const tokens = tokensOf(this.#key)
    const given = {
      ...others,
      ...(size === undefined ? {} : { page_size: /^-?\d+$/.test(size) ? Number(size) : NaN }),
      ...(typeof from === 'number' ? { page_token: this.#tokens[from] ?? '' } : {}),
    }
    try {
      const query = listQuery(given, servers, tokens, scope, 0)
      const { items, next } = listInMemory(this.#rows.values(), query)
      this.#tokens.push(nextToken(tokens, scope, query, next))
      return { names: items.map(item => ('name' in item ? item.name : '')), next: next !== undefined }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#tokens.push('')
      return { reason: error.rpc, field: error.details.badRequest?.[0]?.field }
    }
  }
}

type Outcome = Listed | { readonly reason: string; readonly field: string | null | undefined }

function expectedOf({ expect: expected }: Step): Outcome {
  if (!expected) throw new Error('a list step without an expectation')
  if ('error' in expected) return { reason: 'INVALID_ARGUMENT', field: expected.error.field }
  return { names: expected.names.flatMap(names), next: expected.next }
}

/** Returns the names of a range such as `s001..s020`. */
function names(range: string): string[] {
  const [first = '', last] = range.split('..')
  if (last === undefined) return [first]
  const start = Number(first.slice(1))
  return Array.from({ length: Number(last.slice(1)) - start + 1 }, (_, i) => `s${String(start + i).padStart(3, '0')}`)
}

function tampered(token: string, how: string): string {
  switch (how) {
    case 'flip one bit in the middle': {
      const bytes = Buffer.from(token, 'base64url')
      const middle = bytes.length >> 1
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
      return bytes.toString('base64url')
    }
    case 'drop the last character':
      return token.slice(0, -1)
    case 'append the letter A':
      return `${token}A`
    case 'upper-case every letter':
      return token.toUpperCase()
    case 'reverse it':
      return [...token].toReversed().join('')
    case 'repeat it twice':
      return token.repeat(2)
    default:
      throw new Error(`unknown tampering ${how}`)
  }
}
