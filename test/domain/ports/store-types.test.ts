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

it('a path names a member, or a member of a single object; not what lies in a list or a map', () => {
  expectTypeOf<Path<Network>>().toEqualTypeOf<
    'id' | 'workspace_id' | 'organisation_id' | 'size' | 'range' | 'range.first' | 'range.last' | 'labels' | 'links'
  >()
  expectTypeOf<Path<never>>().toEqualTypeOf<string>()
  expectTypeOf<Path<object>>().toEqualTypeOf<string>()
})

it('collections of any documents stand beside each other, and none stands for that of others', () => {
  const trees: Collection<{ readonly id: string }> = { name: 'test_trees', id: 'id' }
  const all: readonly Collection<never>[] = [networks, trees]
  expect(all).toHaveLength(2)
  // @ts-expect-error an error of a unique set is made of a network
  const others: Collection<{ readonly id: string }> = networks
  expect(others.name).toBe('test_networks')
})

it('a declaration that misspells a member does not compile', () => {
  const wrong: readonly Collection<Network>[] = [
    // @ts-expect-error as the id
    { name: 'test', id: 'ID' },
    // @ts-expect-error as the parent
    { name: 'test', id: 'id', listedBelow: 'workspace' },
    // @ts-expect-error as a column
    { name: 'test', id: 'id', columns: { workspace: 'STRING' } },
    // @ts-expect-error as a column of a single object
    { name: 'test', id: 'id', columns: { 'range.fist': 'STRING' } },
    // @ts-expect-error in a unique set
    { name: 'test', id: 'id', uniques: [{ fields: ['workspace'], taken }] },
    // @ts-expect-error in an index
    { name: 'test', id: 'id', indexes: [['workspace_id', 'lables']] },
    // @ts-expect-error as a hidden member
    { name: 'test', id: 'id', hidden: ['organisation'] },
    // @ts-expect-error in what a column is computed from
    { name: 'test', id: 'id', computed: { length: { type: 'INTEGER', of: network => network.length } } },
  ]
  expect(wrong).toHaveLength(8)
})

it('a read that misspells a member does not compile', () => {
  const reads = (reader: Reader): unknown => [
    reader.find(networks, { workspace_id: 'w', 'range.first': ['a', 'b'], size: null }),
    // @ts-expect-error find
    reader.find(networks, { workspace: 'w' }),
    // @ts-expect-error exists
    reader.exists(networks, { 'range.fist': 'w' }),
    // @ts-expect-error count
    reader.count(networks, { workspace: 'w' }),
    // @ts-expect-error each
    reader.each(networks, { workspace: 'w' }),
    // @ts-expect-error list
    reader.list(networks, query, { workspace: 'w' }),
    // @ts-expect-error alternatives of a page
    reader.page(networks, query, [{ workspace_id: 'w' }, { workspace: 'w' }]),
    reader.tally(networks, 'workspace_id', { size: 1 }),
    // @ts-expect-error the column of a tally
    reader.tally(networks, 'workspace'),
    // @ts-expect-error what is tallied
    reader.tally(networks, 'workspace_id', { sise: 1 }),
    // @ts-expect-error the column of a sum
    reader.sum(networks, 'sise'),
    // @ts-expect-error upwards
    reader.above(networks, 'parent', []),
    // @ts-expect-error downwards
    reader.below(networks, 'parent', []),
  ]
  const writes = (store: Store): unknown =>
    // @ts-expect-error inside a transaction
    store.tx(tx => tx.find(networks, { workspace: 'w' }))
  expect([reads, writes]).toHaveLength(2)
})

it('what narrows a list to what is seen, or to some ids, fits a collection', () => {
  const seen: Where<Network> = { ...seenBy({ scopes: new Set(['w']) }, 'workspace_id'), size: 1 }
  expect(seen).toEqual({ workspace_id: ['w'], size: 1 })
  expectTypeOf(hasId(networks, ['a'])).toEqualTypeOf<Where<Network>>()
  expect(hasId(networks, ['a'])).toEqual({ id: ['a'] })
})

declare const query: Parameters<Reader['list']>[1]
