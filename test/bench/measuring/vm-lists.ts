import { vmCollection, type StoredVm } from '../../../domain/compute/vms/vms-store.ts'
import { vmsList } from '../../../output/compute/filters.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { storeCollections, storeFile, type StorePlace } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { addLoadPlace } from '../../domain/compute/load/vm-lives.ts'
import { tinyBody } from '../../domain/compute/tenant-vms.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { insertCopies } from './copied-rows.ts'
import { postgresDriver, sqliteDriver, type Driver } from './bare-driver.ts'
import { measureRounds, median, type Contender } from './rounds.ts'
import { printGroup } from './table.ts'
import { clockRounds } from './clock-rounds.ts'
import { overPlace, storeName } from './vm-bench-place.ts'
import { vmPlatform } from './vm-platform.ts'

const perWorkspace = 10_000
const workspaces = 3

/** How often the stored machines are copied. */
const copies = perWorkspace / 100 - 1

/** A list may take this multiple of the bare statement. */
const limit = 2

const rounds = 9

/**
 * A filter, with its condition in the bare statement of each store. On PostgreSQL, maps are columns of JSONB, and
 * columns say whether objects are set.
 */
interface Asked {
  readonly filter: string
  readonly sqlite: string
  readonly postgres: string
}

const status = `status = 'NATIVE_VM_STATUS_SUSPENDED'`
const asked: readonly Asked[] = [
  { filter: '', sqlite: '1', postgres: 'TRUE' },
  { filter: 'status = NATIVE_VM_STATUS_SUSPENDED', sqlite: status, postgres: status },
  {
    filter: 'labels.team = "core"',
    sqlite: `_body ->> '$.labels.team' = 'core'`,
    postgres: `labels ->> 'team' = 'core'`,
  },
  {
    filter: 'labels.team = "nobody"',
    sqlite: `_body ->> '$.labels.team' = 'nobody'`,
    postgres: `labels ->> 'team' = 'nobody'`,
  },
  { filter: 'numa:*', sqlite: `_body -> '$.numa' IS NOT NULL`, postgres: 'numa = 1' },
]

/**
 * Prints the time of lists in a workspace with 10,000 machines beside the bare statement for the same rows, through the
 * same driver; it is CPU time on SQLite and time on the clock on PostgreSQL. The store makes the statement from a
 * checked filter, and cuts the hidden members from the documents. A call also has costs that do not depend on the list,
 * so the call is printed less a call for one machine. Returns whether the store kept the limit.
 */
export const printVmLists = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const platform = await vmPlatform(place, 0)
    later(() => platform.close())
    const { workspace } = await addLoadPlace(platform.api)
    const { compute } = platform.api
    await compute.waitOperation(await compute.createVm({ workspace, body: { ...tinyBody, name: 'template' } }))
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    const driver = storeUrl === undefined ? sqliteDriver(storeFile(place.dataDir)) : await postgresDriver(storeUrl)
    later(() => driver.close())
    await fill(store, driver, storeUrl ?? storeFile(place.dataDir), workspace)
    if (storeUrl !== undefined) await driver.prepare('analyze', 'ANALYZE compute_vms')()
    const [machine] = (await compute.listVms({ workspace, page_size: 1 })).vms
    const one = `${vmsAt(workspace)}/${machine?.id}`
    let isKept = true
    for (const each of asked) {
      const contenders: readonly Contender[] = [
        { name: 'the bare statement', units: 1, run: bareList(driver, place, each, workspace) },
        { name: 'the list of the store', units: 1, run: listOf(store, each.filter, workspace) },
        { name: 'the call', units: 1, run: () => platform.call('GET', pathOf(each.filter, workspace)) },
        { name: 'a call for one machine', units: 1, run: () => platform.call('GET', one) },
      ]
      const times =
        storeUrl === undefined
          ? (await measureRounds(contenders, { rounds, warmUp: 5 })).map(median)
          : await clockRounds(contenders, 30)
      const [base = Number.NaN, list = Number.NaN, call = Number.NaN, get = Number.NaN] = times
      printGroup(`20 of ${perWorkspace} machines by "${each.filter}", ${storeName(storeUrl)}; limit ${limit} x`, [
        ...contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN] as const),
        ['the call, less a call for one machine', call - get],
      ])
      isKept &&= list <= limit * base
    }
    return isKept
  })

function bareList(driver: Driver, { storeUrl }: StorePlace, asked: Asked, workspace: string): () => unknown {
  const condition = storeUrl === undefined ? asked.sqlite : asked.postgres
  const sql = `SELECT _key, _version, _body, name FROM compute_vms WHERE workspace_id = ? AND engine = ? AND ${condition} ORDER BY name, _key LIMIT 21`
  const statement = driver.prepare(asked.filter, sql)
  return () => statement(workspace, 'native')
}

function listOf(store: ServerStore, text: string, workspace: string): () => Promise<unknown> {
  const [filter, order] = [checkFilter(text, vmsList), checkOrder('', vmsList)]
  const query = { size: 20, filter, order, after: undefined, now: 0 }
  return () => store.list(vmCollection, query, { workspace_id: workspace, engine: 'native' })
}

const vmsAt = (workspace: string): string => `/compute/v1/workspaces/${workspace}/engines/native/vms`

const pathOf = (filter: string, workspace: string): string =>
  `${vmsAt(workspace)}?page_size=20&filter=${encodeURIComponent(filter)}`

/** Copies the only machine. One copy in a hundred is suspended, one has the label, and one has a NUMA topology. */
async function fill(store: ServerStore, driver: Driver, place: string, workspace: string): Promise<void> {
  const clock = createClock()
  let template: StoredVm | undefined
  for await (const { value } of store.each(vmCollection)) template = value
  if (!template) throw new Error('there is no machine to copy')
  const copied = template
  const homes = [workspace, ...Array.from({ length: workspaces - 1 }, () => clock.newId())]
  await store.tx(async tx => {
    for (const home of homes)
      for (let i = 0; i < 100; i += 1) await tx.insert(vmCollection, copyOf(copied, clock.newId(), home, i))
  })
  // A statement of the database copies faster than 30,000 inserts over a connection.
  const series = `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${copies})`
  const rows = `FROM compute_vms, series WHERE name <> '${copied.name}'`
  await driver.prepare('fill', `${series} ${insertCopies(place, vmCollection, 'n')} ${rows}`)()
}

function copyOf(template: StoredVm, id: string, workspace_id: string, i: number): StoredVm {
  const scattered = (Math.imul(i, 2654435761) >>> 0).toString(36).padStart(7, '0')
  const node = { vcpus: 1, memory_mib: 128, host_node: 0 }
  return {
    ...template,
    id,
    workspace_id,
    name: `vm-${scattered}`,
    status: i % 100 === 33 ? 'NATIVE_VM_STATUS_SUSPENDED' : 'NATIVE_VM_STATUS_RUNNING',
    labels: { env: 'prod', team: i % 100 === 66 ? 'core' : 'other' },
    ...(i % 100 === 99 && { numa: { nodes: [node] } }),
  }
}
