import { onTestFinished, describe, expect, it } from 'vitest'
import { references } from '../../../../domain/resources/references.ts'
import { area, type AreaModule } from '../../../../server/area.ts'
import { inspectStore } from '../../../../server/doctor/inspect-store.ts'
import { openStoreSnapshot } from '../../../../server/platform-store.ts'
import type { AccessSources, OpenAccess } from '../../../../server/access/platform-access.ts'
import { taxonomyArea } from '../../../../server/areas.ts'
import { testGuard } from '../../access/test-access.ts'
import { madeTopology } from '../../made-topology.ts'
import { handwritten, type SampleArea } from '../../sample-area.ts'
import { areaPlatform } from '../area-platform.ts'
import { boxes, notes } from '../yard-kinds.ts'
import { yardArea, type YardControl } from '../yard.ts'

const onlyHere = madeTopology('here')
const { iam } = testGuard.functions

/** Opens an access without the functions of iam, which another area must then provide. */
const withoutIam: OpenAccess = async () => ({ ...testGuard, functions: {} })

/** An area that provides the functions of iam, and needs the functions of the topology. */
const neighbour = area<SampleArea, readonly never[], 'topology'>({
  generated: handwritten({ name: 'neighbour', base: 6_000_000 }),
  needs: { required: ['topology'] },
  provides: () => ({ ...(iam && { iam }) }),
  handlers: () => [],
})

describe('functions between areas', () => {
  it('are provided where two areas need each other', async () => {
    const yard = yardArea({}, { provides: () => ({ topology: onlyHere }) })
    const platform = await areaPlatform([yard, neighbour], onTestFinished, withoutIam)
    const caller = await platform.newWorkspace('web')
    expect(await caller.call('POST', 'racks', { name: 'a', region: 'here' })).not.toHaveProperty('reason')
    expect((await caller.call('POST', 'racks', { name: 'b', region: 'there' })).reason).toBe('REGION_NOT_FOUND')
  })

  it('end the start with a message where a required need has no provider', async () => {
    await expect(areaPlatform([yardArea(), neighbour], onTestFinished, withoutIam)).rejects.toThrow(
      'neighbour needs the functions of topology: no area that is mounted provides them',
    )
  })

  it('end the start when they are read during the mounting of areas', async () => {
    const hasty: AreaModule = area<SampleArea, readonly never[], never, 'topology'>({
      generated: handwritten({ name: 'hasty', base: 6_000_000 }),
      needs: { optional: ['topology'] },
      handlers: ({ functions }) => (functions.topology ? [] : []),
    })
    await expect(areaPlatform([hasty], onTestFinished)).rejects.toThrow(
      'hasty asks for the functions of topology before all areas are mounted',
    )
  })
})

it('scopes and look-ups of an area reach the guard of the platform', async () => {
  const given: AccessSources[] = []
  const open: OpenAccess = async sources => {
    given.push(sources)
    return testGuard
  }
  const platform = await areaPlatform([yardArea()], onTestFinished, open)
  const yard = await platform.newWorkspace('web')
  const rack_id = await yard.made('racks', { name: 'oak' })
  const id = await yard.made('boxes', { name: 'apples', rack_id, labels: { a: 'b' } })
  const scope = { type: 'WORKSPACE', id: yard.workspace }
  const [{ resolve, store }] = [given[0] ?? expect.fail('the access was opened')]
  expect(await resolve(store, 'yard.boxes', id)).toMatchObject({ name: 'apples', labels: { a: 'b' }, scope })
  expect(await resolve(store, 'yard.cranes', id)).toMatchObject({ name: `crane ${id}` })
  expect(await resolve(store, 'yard.tags', id)).toBeUndefined()
  expect(Object.keys(given[0]?.scopes['yard'] ?? {})).toEqual(['getOperation', 'findBox'])
})

it('the doctor reports broken references, and the findings of the area itself', async () => {
  const control: YardControl = {}
  const areas = [yardArea(control)] as const
  const platform = await areaPlatform(areas, onTestFinished)
  const yard = await platform.newWorkspace('web')
  const rack_id = await yard.made('racks', { name: 'oak' })
  const id = await yard.made('boxes', { name: 'apples', rack_id })
  const all = [taxonomyArea(), ...areas]
  const findings = async (): Promise<readonly string[]> => {
    const snapshot = await openStoreSnapshot(platform.place, all)
    const found: string[] = []
    for await (const { message, resourceType } of inspectStore(snapshot, all)) found.push(`${resourceType} ${message}`)
    await snapshot.close()
    return found
  }
  expect(await findings()).toEqual([])
  await control.store?.tx(async tx => {
    const used = await tx.find(references, { holder_id: id })
    if (used) await tx.delete(references, used.id, used.version)
    const ends = { target_type: 'yard.racks', target_id: rack_id, holder_type: 'yard.boxes', holder_id: 'gone' }
    await tx.insert(references, { id: 'x', ...ends })
    await tx.insert(notes, { id: 'n', workspace_id: 'wrong' })
  })
  expect(await findings()).toEqual([
    `yard.boxes uses yard.racks ${rack_id} without a reference, so that this could be deleted`,
    'ninefold.references has the holder yard.boxes gone, which does not exist; the reference must be deleted too',
    'yard.notes is wrong',
  ])
  expect(await control.store?.count(boxes)).toBe(1)
})
