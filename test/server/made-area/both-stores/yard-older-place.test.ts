import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { areaBirths, births } from '../../../../domain/taxonomy/births.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { olderPlace } from '../../../areas/older-place.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { openBeside } from '../../store/left-place.ts'
import { birthAreas, bornNote } from '../birth-areas.ts'
import { notes } from '../yard-kinds.ts'

const program = fileURLToPath(new URL('../older-server.ts', import.meta.url))

/** The number of workspaces: more than two batches. */
const workspaceCount = 45

const standing = ['iam', 'taxonomy']

interface Filled {
  readonly organisation: string
  readonly workspaces: readonly string[]
}

async function workspacesIn(api: Ninefold, organisation: string, name: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const body = { name: `${name}-${i}`, parent_group_id: '' }
    ids.push((await api.taxonomy.createWorkspace({ organisation, body })).resource_id)
  }
  return ids
}

/**
 * Creates an organisation with workspaces, of which one is archived and one is deleted; returns the ids of the
 * organisation and of the remaining workspaces.
 */
async function fill(api: Ninefold): Promise<Filled> {
  const { taxonomy } = api
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: 'acme' } })
  const made = await workspacesIn(api, organisation, 'old', workspaceCount)
  const [gone = '', archived = ''] = made
  for (const id of [gone, archived]) {
    await taxonomy.waitOperation(await taxonomy.archiveWorkspace({ organisation, id, body: {} }))
  }
  await taxonomy.waitOperation(await taxonomy.deleteWorkspace({ organisation, id: gone }))
  return { organisation, workspaces: made.slice(1) }
}

/** Starts a server that kills itself when the hook of the yard runs for the n-th workspace. */
async function startAndDie(place: StorePlace, nth: number): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(place), String(nth)], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
}

async function bornIn(place: StorePlace): Promise<readonly string[]> {
  const store = await openBeside(place, storeCollections(birthAreas()))
  const ids: string[] = []
  for await (const { id } of store.each(notes)) if (id.startsWith(bornNote(''))) ids.push(id)
  await store.close()
  return ids
}

const bornAll = (...workspaces: readonly string[]): readonly string[] =>
  [platformWorkspaceId, ...workspaces].map(bornNote).toSorted()

async function settled(place: StorePlace): Promise<void> {
  const store = await openBeside(place, storeCollections(birthAreas()))
  const isDone = async () => (await store.get(areaBirths, 'yard'))?.value.is_done === true
  await expect.poll(isDone, { timeout: 20_000 }).toBe(true)
  await expect.poll(() => store.count(births), { timeout: 10_000 }).toBe(0)
  await store.close()
}

it('a new area is told once of each existing workspace, even by servers that are killed', async () => {
  const { filled, place } = await olderPlace(standing, fill)
  const { organisation, workspaces } = filled
  // The first process dies in the first batch, the second process in the second batch; the transaction of a batch is
  // rolled back. A batch has 20 scopes, and the organisation is also a scope.
  await startAndDie(place, 7)
  expect(await bornIn(place)).toEqual([])
  await startAndDie(place, 29)
  expect(await bornIn(place)).toHaveLength(19)

  const told: string[] = []
  const all = birthAreas(workspace => void told.push(workspace))
  const fresh = await whileOpen(
    place,
    async api => {
      const made = await whileOpen(place, beside => workspacesIn(beside, organisation, 'beside', 5), all)
      made.push(...(await workspacesIn(api, organisation, 'new', 5)))
      await settled(place)
      return made
    },
    all,
  )
  expect(await bornIn(place)).toEqual(bornAll(...workspaces, ...fresh))
  expect(await doctorFindings(place, all)).toEqual([])

  told.length = 0
  const [last = ''] = await whileOpen(place, api => workspacesIn(api, organisation, 'last', 1), all)
  expect(told).toEqual([last])
  expect(await bornIn(place)).toEqual(bornAll(...workspaces, ...fresh, last))
}, 120_000)

it('an area is told of workspaces that a server without it creates concurrently or later', async () => {
  const { filled, place } = await olderPlace(standing, fill)
  const { organisation, workspaces } = filled
  const older = areas.filter(({ domain }) => standing.includes(domain.name))
  const told: string[] = []
  const made = await whileOpen(
    place,
    async api => {
      const during = await workspacesIn(api, organisation, 'during', 25)
      await whileOpen(place, () => settled(place), birthAreas())
      return [...during, ...(await workspacesIn(api, organisation, 'after', 25))]
    },
    older,
  )
  expect(await bornIn(place)).toHaveLength(1 + workspaces.length + 25)
  const newer = birthAreas(workspace => void told.push(workspace))
  await whileOpen(place, () => settled(place), newer)
  expect(told).toHaveLength(25)
  expect(await bornIn(place)).toEqual(bornAll(...workspaces, ...made))
}, 120_000)

it('an area whose hook fails delays no other work, and is told again', async () => {
  const { filled, place } = await olderPlace(standing, fill)
  const failing = birthAreas(() => {
    throw new Error('not yet')
  })
  await whileOpen(
    place,
    async api => {
      await expect(workspacesIn(api, filled.organisation, 'refused', 1)).rejects.toThrow()
      expect(await api.taxonomy.getOrganisation({ id: filled.organisation })).toMatchObject({ name: 'acme' })
    },
    failing,
  )
  expect(await bornIn(place)).toEqual([])
  await whileOpen(place, () => settled(place), birthAreas())
  expect(await bornIn(place)).toEqual(bornAll(...filled.workspaces))
}, 120_000)
