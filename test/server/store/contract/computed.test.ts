import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection, Computed, Reader, Where } from '../../../../domain/ports/store.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { checkFilter } from '../../../../runtime/filter/check.ts'
import type { ListFields, SortKey } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { layoutOf } from '../../../../server/store/layout.ts'
import { postgresDialect } from '../../../../server/store/postgres/dialect.ts'
import { sqliteDialect } from '../../../../server/store/sqlite/dialect.ts'
import { statement, storeAt, testPlace, testStore } from '../harness.ts'
import { isPostgres, openPlaceSnapshot } from '../place.ts'

interface Port {
  readonly id: string
  readonly network_id: string
  readonly ip_address?: string
  readonly note?: string
}

const portFields: ListFields = {
  resource: 'ports',
  fields: [
    { name: 'ip_address', type: 'STRING', operators: ['=', '!=', ':'], sortable: true },
    { name: 'note', type: 'STRING', operators: ['=', ':'], sortable: true },
  ],
  defaultOrder: 'ip_address asc',
  key: 'id',
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const plainPorts: Collection<Port> = {
  name: 'test_ports',
  id: 'id',
  list: portFields,
  listedBelow: 'network_id',
  columns: { network_id: 'STRING' },
}

const ports: Collection<Port> = {
  ...plainPorts,
  computed: {
    ip_number: {
      type: 'INTEGER',
      of: ({ ip_address }) => (ip_address === undefined ? undefined : numberOf(ip_address)),
    },
  },
  orderedBy: { ip_address: 'ip_number' },
  uniques: [
    {
      fields: ['network_id', 'ip_address'],
      taken: () => new ApiError({ reason: 'IP_ADDRESS_IN_USE', rpc: 'ALREADY_EXISTS' }, 'the address is in use'),
    },
  ],
}

const port = (id: string, more: Partial<Port> = {}): Port => ({ id, network_id: 'n', ...more })

const addresses = ['10.0.0.9', '10.0.0.10', '9.255.255.255', '255.255.255.255', '10.0.0.100', '0.0.0.1']
const sorted = ['0.0.0.1', '9.255.255.255', '10.0.0.9', '10.0.0.10', '10.0.0.100', '255.255.255.255']

const query = (more: Partial<ListQuery> = {}, order?: string): ListQuery => ({
  size: 100,
  filter: undefined,
  order: checkOrder(order, portFields),
  after: undefined,
  now: 0,
  ...more,
})

/**
 * Returns the rows of all pages. The keys of a page pass through JSON, as in a page token, before they start the next
 * page.
 */
async function walk<T>(
  reader: Reader,
  collection: Collection<T>,
  asked: ListQuery,
  where?: Where<T>,
): Promise<readonly T[]> {
  const walked: T[] = []
  let after: readonly SortKey[] | undefined
  do {
    const page = await reader.page(collection, { ...asked, after }, where)
    walked.push(...page.items.map(({ value }) => value))
    after = page.next && JSON.parse(JSON.stringify(page.next))
  } while (after !== undefined)
  return walked
}

async function portsAt(place: string, collection: Collection<Port>) {
  const store = await storeAt(place, collection)
  await store.tx(async tx => {
    for (const [i, ip_address] of addresses.entries()) await tx.insert(collection, port(`p-${i}`, { ip_address }))
  })
  return store
}

async function mismatchesIn(place: string): Promise<readonly unknown[]> {
  const snapshot = await openPlaceSnapshot(place, [ports])
  try {
    const found: unknown[] = []
    for await (const mismatch of snapshot.mismatches(ports)) found.push(mismatch)
    return found
  } finally {
    await snapshot.close()
  }
}

describe('a list that is ordered by a computed column', () => {
  it.each<readonly [string, string | undefined, readonly string[]]>([
    ['its default order', undefined, sorted],
    ['ascending', 'ip_address', sorted],
    ['descending', 'ip_address desc', sorted.toReversed()],
    ['by another field first', 'note, ip_address desc', sorted.toReversed()],
  ])('walks by numbers, in pages of any size: %s', async (_, order, expected) => {
    const store = await portsAt(await testPlace(), ports)
    for (const size of [1, 2, 4, 100]) {
      for (const where of [{ network_id: 'n' }, {}]) {
        const walked = await walk(store, ports, query({ size }, order), where)
        expect(walked.map(({ ip_address }) => ip_address)).toEqual(expected)
      }
    }
  })

  it('filters by the text, and finds rows by either form', async () => {
    const store = await portsAt(await testPlace(), ports)
    const filter = checkFilter('ip_address = "10.0.0.1*"', portFields)
    const found = await walk(store, ports, query({ filter, size: 1 }))
    expect(found.map(({ ip_address }) => ip_address)).toEqual(['10.0.0.10', '10.0.0.100'])
    const byNumber: Where = { ip_number: 1 }
    expect((await store.find(ports, byNumber))?.value.ip_address).toBe('0.0.0.1')
    expect(await store.count(ports, { ip_address: '10.0.0.9' })).toBe(1)
  })

  it('applies updates', async () => {
    const store = await portsAt(await testPlace(), ports)
    await store.tx(async tx => {
      const read = await tx.get(ports, 'p-3')
      await tx.update(ports, 'p-3', { ...port('p-3'), ip_address: '10.0.0.11' }, read?.version ?? 0)
    })
    const walked = await walk(store, ports, query({ size: 2 }))
    expect(walked.map(({ ip_address }) => ip_address).slice(3)).toEqual(['10.0.0.10', '10.0.0.11', '10.0.0.100'])
  })

  it('has documents of one value, and documents without a value, each once, in the order of their ids', async () => {
    const loose: Collection<Port> = { ...ports, uniques: [] }
    const store = await testStore(loose)
    const made = ['b', 'a', 'd', 'c'].map((id, i) => port(id, i < 2 ? {} : { ip_address: '10.0.0.1' }))
    await store.tx(async tx => {
      for (const each of made) await tx.insert(loose, each)
    })
    for (const order of ['ip_address', 'ip_address desc']) {
      const ids = (await walk(store, loose, query({ size: 1 }, order))).map(({ id }) => id)
      expect(ids).toEqual(order.endsWith('desc') ? ['c', 'd', 'a', 'b'] : ['a', 'b', 'c', 'd'])
    }
  })

  it('does not confuse unique texts with unique numbers', async () => {
    const coarse: Collection<Port> = {
      ...ports,
      computed: { ip_number: { type: 'INTEGER', of: ({ ip_address = '' }) => ip_address.length } },
    }
    const store = await portsAt(await testPlace(), coarse)
    for (const order of ['ip_address', 'ip_address desc']) {
      const walked = await walk(store, coarse, query({ size: 1 }, order), { network_id: 'n' })
      expect(walked.map(({ id }) => id).toSorted()).toEqual(addresses.map((_, i) => `p-${i}`))
    }
  })

  it('has an index of that column for its default order', () => {
    for (const dialect of [sqliteDialect, postgresDialect]) {
      const statements = layoutOf(ports, dialect).indexes.map(({ sql }) => sql)
      expect(statements).toContainEqual(expect.stringMatching(/^CREATE INDEX .*"network_id".*"ip_number".*"_key"/))
    }
  })

  it('is filled from the documents of an older store, in which the doctor then finds no fault', async () => {
    const place = await testPlace()
    const before = await portsAt(place, plainPorts)
    const asText = (await walk(before, plainPorts, query())).map(({ ip_address }) => ip_address)
    expect(asText).toEqual(addresses.toSorted())
    await before.close()
    const store = await storeAt(place, ports)
    const walked = await walk(store, ports, query({ size: 2 }))
    expect(walked.map(({ ip_address }) => ip_address)).toEqual(sorted)
    expect(await mismatchesIn(place)).toEqual([])
  })

  it('refuses a token of an older version, whose keys are texts', async () => {
    const store = await portsAt(await testPlace(), ports)
    const stale = store.list(ports, query({ after: ['10.0.0.9', 'p-0'] }))
    await expect(stale).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' })
  })
})

describe('a computed column', () => {
  interface Thing {
    readonly id: string
    readonly value: string | number | boolean
  }
  const list: ListFields = {
    fields: [{ name: 'shown', type: 'STRING', operators: ['='], sortable: true }],
    defaultOrder: 'shown',
    key: 'id',
  }

  it.each<
    readonly [Computed<Thing>['type'], fc.Arbitrary<Thing['value']>, (a: Thing['value']) => bigint | Thing['value']]
  >([
    ['INTEGER', fc.integer(), value => value],
    ['INTEGER', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), value => BigInt(value)],
    ['NUMBER', fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0), value => value],
    ['BOOLEAN', fc.boolean(), value => value],
    ['STRING', fc.stringMatching(/^[a-z]{0,5}$/), value => value],
    ['ENUM', fc.constantFrom('B', 'A', 'C'), value => value],
    [
      'TIMESTAMP',
      fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2025-01-01T00:00:00Z'),
      value => Date.parse(String(value)),
    ],
  ])('of type %s orders pages of any size, in both directions', async (type, values, key) => {
    const things: Collection<Thing> = {
      name: 'test_things',
      id: 'id',
      list,
      computed: { rank: { type, of: ({ value }) => value } },
      orderedBy: { shown: 'rank' },
    }
    const store = await testStore(things)
    const rows = fc.sample(values, { seed: 7, numRuns: 12 }).map((value, i): Thing => ({ id: `t-${i + 10}`, value }))
    await store.tx(async tx => {
      for (const row of rows) await tx.insert(things, row)
    })
    const byKey = (a: Thing, b: Thing): number => compare(key(a.value), key(b.value)) || compare(a.id, b.id)
    const order = checkOrder('shown', list)
    for (const size of [1, 5, 100]) {
      expect(await walk(store, things, query({ size, order }))).toEqual(rows.toSorted(byKey))
    }
    const descending = checkOrder('shown desc', list)
    const backwards = (a: Thing, b: Thing): number => compare(key(b.value), key(a.value)) || compare(a.id, b.id)
    expect(await walk(store, things, query({ size: 2, order: descending }))).toEqual(rows.toSorted(backwards))
  })

  it('that differs from its document is reported by the doctor', async () => {
    const place = await testPlace()
    const store = await portsAt(place, ports)
    await store.close()
    await spoil(place, `"ip_number" = 7`)
    expect(await mismatchesIn(place)).toMatchObject([{ key: 'p-0', damage: undefined }])
  })

  it('that cannot be computed is reported by the doctor as damage', async () => {
    const place = await testPlace()
    const store = await portsAt(place, ports)
    await store.close()
    await spoil(place, `"_body" = '{"id":"p-0","network_id":"n","ip_address":{}}'`)
    const [mismatch] = await mismatchesIn(place)
    expect(mismatch).toMatchObject({ key: 'p-0', damage: expect.stringContaining('"ip_') })
  })

  it.each<readonly [string, (port: Port) => string | number | boolean | undefined]>([
    [
      'throws',
      () => {
        throw new RangeError('no address')
      },
    ],
    ['is of another type', () => 'seven'],
    ['is not a number', () => Number.NaN],
  ])('that %s refuses the document', async (_, of) => {
    const faulty: Collection<Port> = { ...ports, computed: { ip_number: { type: 'INTEGER', of } } }
    const store = await testStore(faulty)
    await expect(store.tx(tx => tx.insert(faulty, port('a')))).rejects.toThrow(TypeError)
    expect(await store.count(faulty)).toBe(0)
  })

  it.each<readonly [string, Partial<Collection<Port>>]>([
    ['has a member "note", so that no computed column', { computed: { note: { type: 'STRING', of: () => '' } } }],
    ['does not sort by a field "address"', { orderedBy: { address: 'ip_number' } }],
    ['declares no column "ip_size"', { orderedBy: { ip_address: 'ip_size' } }],
  ])('whose declaration is wrong ends the start: %s', async (message, wrong) => {
    await expect(storeAt(await testPlace(), { ...ports, ...wrong })).rejects.toThrow(message)
  })
})

const compare = <V extends string | number | bigint | boolean>(a: V, b: V): number => Number(a > b) - Number(a < b)

async function spoil(place: string, assignment: string): Promise<void> {
  const sql = `UPDATE test_ports SET ${assignment} WHERE "_key" = 'p-0'`
  if (isPostgres(place)) return statement(place, sql)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(place)
  database.exec(sql)
  database.close()
}
