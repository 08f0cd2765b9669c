import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AnyKind } from '../../domain/resources/kind.ts'
import { defineKind } from '../../domain/resources/kind.ts'
import type { Row } from '../../domain/resources/row.ts'
import type { Collection } from '../../domain/ports/store.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import { ApiError, type ErrorDomain } from '../../runtime/errors.ts'
import { area, type AreaModule } from '../../server/area.ts'
import type { AreaDeclaration } from '../../server/area-declaration.ts'
import { compose } from '../../server/compose.ts'
import { testAccess } from './access/test-access.ts'
import { madeTopology } from './made-topology.ts'
import { crates, handwritten, sampleArea, type SampleArea } from './sample-area.ts'
import { silent } from '../areas/open-platform.ts'
import { testFolder } from './store/harness.ts'

type Declaration = AreaDeclaration<SampleArea, readonly never[], 'topology', 'topology'>

const other: ErrorDomain = { name: 'other', base: 6_000_000 }

/** Returns an area with some members of a declaration, which may be wrong. */
const otherArea = (members: Partial<Declaration>, domain = other): AreaModule =>
  area<SampleArea, readonly never[], 'topology', 'topology'>({
    generated: handwritten(domain),
    handlers: () => [],
    ...members,
  })

interface Thing extends Row {
  readonly name: string
  readonly box_id: string
}

const things = (name: string, more: Partial<Collection<Thing>> = {}): Collection<Thing> => ({
  name,
  id: 'id',
  columns: { name: 'STRING' },
  ...more,
})

const absent = (message: string) => new ApiError({ reason: 'THING_NOT_FOUND', rpc: 'NOT_FOUND' }, message)

const kind = (
  type: string,
  table: string,
  more: Partial<Parameters<typeof defineKind<Thing, string>>[0]> = {},
): AnyKind => defineKind<Thing, string>({ type, noun: 'thing', collection: things(table), notFound: absent, ...more })

const lonely = kind('nowhere.boxes', 'nowhere_boxes')
const toLonely = { member: 'box_id', target: lonely, absent } as const
const belowLonely = { member: 'box_id', parameter: 'box', kind: lonely } as const

const boxes = kind('other.boxes', 'other_boxes')

const worker = (name: string, everyMs = 1000): Worker => ({ name, everyMs, run: async () => {} })
const steps = [{ name: 'only', run: async () => ({ save: {} }) }] as const
const procedure = (name: string): never => ({ kind: name, steps }) as never
const topology = madeTopology('here')

const nameField = { name: 'name', type: 'STRING', operators: ['='], sortable: true } as const

const inCollections = (more: Partial<Collection<Thing>>): Partial<Declaration> => ({
  collections: [things('other_things', more)],
})

/** A wrong declaration: the name of its fault, its wrong members, and the message after the name of the area. */
type Wrong = readonly [what: string, Partial<Declaration>, told: string]

const wrong: readonly Wrong[] = [
  [
    'two kinds of one type',
    { kinds: [kind('other.a', 'other_a'), kind('other.a', 'other_b')] },
    'kinds: the kind "other.a" is declared twice; drop or rename one',
  ],
  [
    'a kind of another area',
    { kinds: [kind('sample.a', 'other_a')] },
    'kinds: the type "sample.a" must begin with "other."; rename it',
  ],
  [
    'a reference to a kind that is not mounted',
    { kinds: [kind('other.a', 'other_a', { references: [toLonely] })] },
    'kinds: the member box_id of "other.a" refers to "nowhere.boxes", which no area mounts; add it to kinds',
  ],
  [
    'a parent that is not mounted',
    { kinds: [kind('other.a', 'other_a', { parent: belowLonely })] },
    'kinds: the parent of "other.a" is "nowhere.boxes", which no area mounts; add it to kinds',
  ],
  [
    'a parent that no column names',
    { kinds: [kind('other.a', 'other_a', { parent: belowLonely })] },
    'kinds: the parent of "other.a" is named by "box_id"; add that to columns of other_a',
  ],
  [
    'a target that a purge deletes before its holders',
    { kinds: [boxes, kind('other.a', 'other_a', { references: [{ ...toLonely, target: boxes }] })] },
    'kinds: the member box_id of "other.a" refers to "other.boxes", which a purge would delete first; name "other.a" before it',
  ],
  [
    'a parent that a purge deletes before its children',
    { kinds: [boxes, kind('other.a', 'other_a', { parent: { ...belowLonely, kind: boxes } })] },
    'kinds: the parent of "other.a" is "other.boxes", which a purge would delete first; name "other.a" before it',
  ],
  [
    'a named kind whose names are not unique',
    { kinds: [kind('other.a', 'other_a', { isNamed: true })] },
    'kinds: rows of "other.a" are named by their names; add the column and the unique set of "name" to other_a',
  ],
  [
    'a reference by a name that no column holds',
    { kinds: [kind('other.a', 'other_a', { references: [{ ...toLonely, by: 'name', target: boxes }] }), boxes] },
    'kinds: rows of "other.boxes" are named by their names; add the column and the unique set of "name" to other_boxes',
  ],
  [
    'a collection twice',
    { collections: [things('other_a'), things('other_a')] },
    'collections: "other_a" is declared twice; drop or rename one (kinds bring their own along)',
  ],
  [
    'the collection of a kind once more',
    { kinds: [kind('other.a', 'other_a')], collections: [things('other_a')] },
    'collections: "other_a" is declared twice; drop or rename one (kinds bring their own along)',
  ],
  [
    'the table of the operation records',
    { collections: [things('other_operations')] },
    'collections: "other_operations" is declared twice; drop or rename one (the server keeps the operations of the area there)',
  ],
  ['a table of another area', { collections: [crates] }, 'collections: "sample_crates" is declared twice'],
  ['a table of the server', { collections: [things('ninefold_leases')] }, 'collections: "ninefold_leases" is declared'],
  [
    'a table without its name',
    { collections: [things('things')] },
    'collections: "things" must be named other_<plural>',
  ],
  [
    'a table that is no name',
    { collections: [things('other_x"; DROP TABLE y; --')] },
    'must be named other_<plural> in lower case; rename it',
  ],
  ['a table with a long name', { collections: [things(`other_${'x'.repeat(60)}`)] }, 'is longer than the 63 bytes'],
  ['an index without its column', inCollections({ indexes: [['box_id']] }), 'declares no column "box_id"; correct the'],
  [
    'a unique set without its column',
    inCollections({ uniques: [{ fields: ['box_id'], taken: () => absent('') }] }),
    'declares no column "box_id"; correct the declaration of "other_things"',
  ],
  [
    'a column of two types',
    inCollections({ columns: { name: 'INTEGER' }, list: { fields: [nameField], defaultOrder: 'name', key: 'id' } }),
    'as INTEGER, and its list',
  ],
  [
    'a former column',
    inCollections({ formerColumns: ['name'] }),
    'writes the column "name", which is one of its former',
  ],
  ['no engine', { engines: [] }, 'engines: there is none; name one, or leave the member out for "native"'],
  ['an engine twice', { engines: ['native', 'native'] }, 'engines: "native" is named twice; drop one'],
  ['an engine that is no name', { engines: ['Bad/x'] }, 'engines: "Bad/x" must be lower-case letters, digits'],
  [
    'a need twice',
    { needs: { required: ['topology'], optional: ['topology'] } },
    'needs: "topology" is named twice; name it as required or as optional',
  ],
  [
    'functions that are absent',
    { provides: () => ({ topology: undefined }) as never },
    'provides: the functions of topology are undefined; give them, or leave them out',
  ],
  [
    'functions that another area provides',
    { provides: () => ({ taxonomy: {} }) as never },
    'provides: the functions of taxonomy are provided twice, by sample too; drop one of the two',
  ],
  [
    'functions that it provides in two ways',
    { functions: { topology }, provides: () => ({ topology: { ...topology } }) },
    'provides: the functions of topology are provided twice, by other too; drop one of the two',
  ],
  [
    'a worker twice',
    { workers: () => [worker('other.a'), worker('other.a')] },
    'workers: "other.a" is declared twice; rename one, because each has the lease of its name',
  ],
  [
    'a worker of the platform',
    { workers: () => [worker('ninefold.sweeper')] },
    'workers: "ninefold.sweeper" must be named "other.<name>"; rename it',
  ],
  [
    'the worker of its own births',
    { workers: () => [worker('other.births')], hooks: () => ({ workspaceCreated: async () => {} }) },
    'workers: "other.births" is declared twice',
  ],
  ...[0, -1, 0.5, NaN, Infinity, 2 ** 31].map((everyMs): Wrong => [
    `a worker at every ${everyMs} ms`,
    { workers: () => [worker('other.a', everyMs)] },
    `workers: "other.a" has the interval ${everyMs}; give everyMs 1 to 2147483647 milliseconds`,
  ]),
  [
    'a procedure twice',
    { procedures: () => [procedure('other.a'), procedure('other.a')] },
    'procedures: procedure "other.a" is declared twice; rename one',
  ],
  [
    'a procedure of another area',
    { procedures: () => [procedure('sample.a')] },
    'procedures: procedure "sample.a" must be named "other.<name>"; rename it',
  ],
  [
    'a scope of no operation',
    { scopes: { getThing: 'handler' } },
    'scopes: the area has no operation "getThing"; name one of its document',
  ],
  [
    'a plane over a route',
    { planes: () => [{ prefix: '/sample/v1/crates/blobs', routes: [] }] },
    'planes: the data plane "/sample/v1/crates/blobs" hides the route getCrate of sample; choose a prefix',
  ],
]

const start = (areas: readonly AreaModule[], dataDir = testFolder()) =>
  compose(
    { baseUrl: undefined, dataDir, http: { host: '127.0.0.1', port: 0, isPortOpen: false } },
    silent,
    areas,
    testAccess,
  )

describe('an area ends the start, and names area, member and remedy,', () => {
  it.each(wrong)('with %s', async (_, members, told) => {
    const message = await start([sampleArea(), otherArea(members)]).then(
      async platform => {
        await platform.close()
        return 'the server started'
      },
      (error: unknown) => String(error),
    )
    expect(message).toContain('the area other: ')
    expect(message).toContain(told)
  })

  it('with the name of another area', async () => {
    const twice = start([sampleArea(), sampleArea()])
    await expect(twice).rejects.toThrow(
      /^the area sample: domain: the name is taken; rename the area, or mount it once in server\/areas\.ts$/,
    )
  })

  it.each([
    ['the name of the platform', { name: 'ninefold', base: 6_000_000 }, 'the area ninefold: domain: the name is taken'],
    ['a name of two words', { name: 'my area', base: 6_000_000 }, 'the area my area: domain: the name must be one'],
    ['the error codes of another area', { name: 'other', base: 5_000_000 }, 'begin at 5000000, as those of sample do'],
  ])('with %s', async (_, domain, told) => {
    await expect(start([sampleArea(), otherArea({}, domain)])).rejects.toThrow(told)
  })
})

it('faults of several members and areas are told together, before anything is created', async () => {
  const dataDir = join(testFolder(), 'data')
  const areas = [
    sampleArea(),
    otherArea({ engines: [], collections: [things('things')] }),
    otherArea({ engines: ['A'] }, { name: 'third', base: 7_000_000 }),
  ]
  await expect(start(areas, dataDir)).rejects.toThrow(
    /^the area other: collections: .*\nthe area other: engines: .*\nthe area third: engines: .*$/,
  )
  expect(existsSync(dataDir)).toBe(false)
})
