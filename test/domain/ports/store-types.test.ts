import { expect, expectTypeOf, it } from 'vitest'
import { seenBy } from '../../../domain/ports/access.ts'
import type { Path } from '../../../domain/ports/path.ts'
import { hasId, type Collection, type Reader, type Store, type Where } from '../../../domain/ports/store.ts'
import { ApiError } from '../../../runtime/errors.ts'

interface Network {
  readonly id: string
  readonly workspace_id: string
  readonly organisation_id: string
  readonly size?: number
  readonly range?: { readonly first: string; readonly last?: string }
  readonly labels: Readonly<Record<string, string>>
  readonly links: readonly { readonly id: string }[]
}

const taken = (): ApiError => new ApiError({ reason: 'TAKEN', rpc: 'ALREADY_EXISTS' }, 'taken')

const networks: Collection<Network> = {
  name: 'test_networks',
  id: 'id',
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', organisation_id: 'STRING', 'range.first': 'STRING', size: 'INTEGER' },
  uniques: [{ fields: ['workspace_id', 'range.first'], taken }],
  indexes: [['organisation_id', 'range.last']],
  hidden: ['organisation_id'],
}

it('a path names a member, or a member of a single object, but no member within a list or a map', () => {
  expectTypeOf<Path<Network>>().toEqualTypeOf<
    'id' | 'workspace_id' | 'organisation_id' | 'size' | 'range' | 'range.first' | 'range.last' | 'labels' | 'links'
  >()
  expectTypeOf<Path<never>>().toEqualTypeOf<string>()
  expectTypeOf<Path<object>>().toEqualTypeOf<string>()
})

it('collections of different documents fit into one list, and none fits the type of another', () => {
  const trees: Collection<{ readonly id: string }> = { name: 'test_trees', id: 'id' }
  const all: readonly Collection<never>[] = [networks, trees]
  expect(all).toHaveLength(2)
  // @ts-expect-error `taken` of `networks` requires a network
  const others: Collection<{ readonly id: string }> = networks
  expect(others.name).toBe('test_networks')
})

it('a declaration that misspells a member does not compile', () => {
  const wrong: readonly Collection<Network>[] = [
    // @ts-expect-error the id has another name
    { name: 'test', id: 'ID' },
    // @ts-expect-error the parent has another name
    { name: 'test', id: 'id', listedBelow: 'workspace' },
    // @ts-expect-error the column has another name
    { name: 'test', id: 'id', columns: { workspace: 'STRING' } },
    // @ts-expect-error the column of the inner object has another name
    { name: 'test', id: 'id', columns: { 'range.fist': 'STRING' } },
    // @ts-expect-error the field of the unique set has another name
    { name: 'test', id: 'id', uniques: [{ fields: ['workspace'], taken }] },
    // @ts-expect-error the field of the index has another name
    { name: 'test', id: 'id', indexes: [['workspace_id', 'lables']] },
    // @ts-expect-error the hidden member has another name
    { name: 'test', id: 'id', hidden: ['organisation'] },
    // @ts-expect-error the source of the computed column has another name
    { name: 'test', id: 'id', computed: { length: { type: 'INTEGER', of: network => network.length } } },
  ]
  expect(wrong).toHaveLength(8)
})

it('a read that misspells a member does not compile', () => {
  const reads = (reader: Reader): unknown => [
    reader.find(networks, { workspace_id: 'w', 'range.first': ['a', 'b'], size: null }),
    // @ts-expect-error `find` refuses the field
    reader.find(networks, { workspace: 'w' }),
    // @ts-expect-error `exists` refuses the field
    reader.exists(networks, { 'range.fist': 'w' }),
    // @ts-expect-error `count` refuses the field
    reader.count(networks, { workspace: 'w' }),
    // @ts-expect-error `each` refuses the field
    reader.each(networks, { workspace: 'w' }),
    // @ts-expect-error `list` refuses the field
    reader.list(networks, query, { workspace: 'w' }),
    // @ts-expect-error `page` refuses the field of an alternative
    reader.page(networks, query, [{ workspace_id: 'w' }, { workspace: 'w' }]),
    reader.tally(networks, 'workspace_id', { size: 1 }),
    // @ts-expect-error `tally` refuses the column
    reader.tally(networks, 'workspace'),
    // @ts-expect-error `tally` refuses the field of the condition
    reader.tally(networks, 'workspace_id', { sise: 1 }),
    // @ts-expect-error `sum` refuses the column
    reader.sum(networks, 'sise'),
    // @ts-expect-error `above` refuses the field
    reader.above(networks, 'parent', []),
    // @ts-expect-error `below` refuses the field
    reader.below(networks, 'parent', []),
  ]
  const writes = (store: Store): unknown =>
    // @ts-expect-error `find` of a transaction refuses the field
    store.tx(tx => tx.find(networks, { workspace: 'w' }))
  expect([reads, writes]).toHaveLength(2)
})

it('conditions for visible rows, or for some ids, fit a collection', () => {
  const seen: Where<Network> = { ...seenBy({ scopes: new Set(['w']) }, 'workspace_id'), size: 1 }
  expect(seen).toEqual({ workspace_id: ['w'], size: 1 })
  expectTypeOf(hasId(networks, ['a'])).toEqualTypeOf<Where<Network>>()
  expect(hasId(networks, ['a'])).toEqual({ id: ['a'] })
})

declare const query: Parameters<Reader['list']>[1]
