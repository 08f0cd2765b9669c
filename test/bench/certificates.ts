import { certificateCollection, type StoredCertificate } from '../../domain/vault/certificates/certificates-store.ts'
import { certificateStates } from '../../domain/vault/certificates/certificate-states.ts'
import { byStateAt } from '../../domain/resources/state-by-clock.ts'
import { certificatesList } from '../../output/vault/filters.ts'
import { checkFilter } from '../../runtime/filter/check.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'
import { areas } from '../../server/areas.ts'
import { createClock } from '../../server/clock.ts'
import { openIam } from '../../server/iam/open.ts'
import { Ninefold } from '../../output/client.ts'
import { storeCollections, storeFile } from '../../server/platform-store.ts'
import type { ServerStore } from '../../server/store/server-store.ts'
import { addTenant, signingIn } from '../areas/members.ts'
import { openPlatform } from '../areas/open-platform.ts'
import { startServer } from '../postgres/server.ts'
import { administrator, administratorFile } from '../server/access/sign-in.ts'
import { openBeside } from '../server/store/left-place.ts'
import { postgresDriver, sqliteDriver, type Driver } from './measuring/bare-driver.ts'
import { clockRounds } from './measuring/clock-rounds.ts'
import { measureRounds, median } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { overPlace, storeName } from './measuring/vm-bench-place.ts'

/**
 * This program prints the time of lists of 20 certificates by state and by time of expiry, of an authority with 100,000
 * certificates, beside the bare statement for the same rows through the same driver; it is CPU time on SQLite and time on
 * the clock on PostgreSQL. The limit is 1.5 times the bare statement. All certificates but one are copied rows, because
 * issues are 100 times slower. `NINEFOLD_BENCH_ISSUED` sets the number, and `npm run bench certificates sqlite`
 * measures one store.
 */

const count = Number(process.env['NINEFOLD_BENCH_ISSUED'] ?? 100_000)
const limit = 1.5
const clock = createClock()
const now = clock.now()
const dayMs = 86_400_000

/** A list, with its condition and its order in the bare statement. */
interface Asked {
  readonly filter: string
  readonly order: string
  /** The condition with `?` for its values, as a program sends texts of callers. */
  readonly condition: string
  readonly values: readonly string[]
  readonly sorted: string
}

const stored = (ms: number): string => storedTimestamp(formatMillis(ms)) ?? ''
const state = (short: string): string => `VAULT_CERTIFICATE_STATE_${short}`
const isLive = 'NOT (not_after_time <= ?)'
const soon = now + 10 * dayMs
const newest = 'create_time DESC NULLS LAST, _key DESC'
const firstToEnd = 'not_after_time NULLS FIRST, _key'

const asked: readonly Asked[] = [
  { filter: '', order: '', condition: '1 = 1', values: [], sorted: newest },
  {
    filter: `state = ${state('ACTIVE')}`,
    order: '',
    condition: `state = ? AND ${isLive}`,
    values: [state('ACTIVE'), stored(now)],
    sorted: newest,
  },
  {
    filter: `state = ${state('REVOKED')}`,
    order: '',
    condition: 'state = ?',
    values: [state('REVOKED')],
    sorted: newest,
  },
  {
    filter: `state = ${state('EXPIRED')}`,
    order: '',
    condition: '(state = ? OR (state = ? AND NOT (not_after_time > ?)))',
    values: [state('EXPIRED'), state('ACTIVE'), stored(now)],
    sorted: newest,
  },
  { filter: '', order: 'not_after_time', condition: '1 = 1', values: [], sorted: firstToEnd },
  {
    filter: `state = ${state('ACTIVE')} AND not_after_time < "${formatMillis(soon)}"`,
    order: 'not_after_time',
    condition: `state = ? AND ${isLive} AND not_after_time < ?`,
    values: [state('ACTIVE'), stored(now), stored(soon)],
    sorted: firstToEnd,
  },
]

/** Inserts copies of a certificate: one in ten is revoked and one in ten has expired. The expiry of 100 is not recorded yet. */
async function fill(store: ServerStore, issued: StoredCertificate): Promise<void> {
  for (let from = 0; from < count; from += 2000)
    await store.tx(async tx => {
      for (let i = from; i < Math.min(from + 2000, count); i += 1)
        await tx.insert(certificateCollection, copyOf(issued, i))
    })
}

function copyOf(issued: StoredCertificate, i: number): StoredCertificate {
  const scattered = Math.imul(i, 2_654_435_761) >>> 0
  const isOver = i % 10 === 7
  const time = now - (scattered % (365 * dayMs))
  const recorded = isOver && i > 1000 ? 'EXPIRED' : 'ACTIVE'
  const short = i % 10 === 3 ? 'REVOKED' : recorded
  return {
    ...issued,
    id: clock.newId(),
    name: `certificate-${i}`,
    serial_number: `4${String(i).padStart(31, '0')}`,
    state: `VAULT_CERTIFICATE_STATE_${short}`,
    create_time: formatMillis(time),
    not_after_time: formatMillis(isOver ? time - 1000 : now + 1000 + (scattered % (30 * dayMs))),
  }
}

/** Returns the list of a store as the call makes it. */
function listOf(store: ServerStore, { filter, order }: Asked, where: Readonly<Record<string, string>>) {
  const given: ListQuery = {
    size: 20,
    filter: checkFilter(filter, certificatesList),
    order: checkOrder(order, certificatesList),
    after: undefined,
    now,
  }
  return () => store.page(certificateCollection, byStateAt(given, certificateStates), where)
}

function bareList(driver: Driver, each: Asked, authority: string): () => unknown {
  const { condition, sorted, values } = each
  const sql = `SELECT _key, _version, _body FROM vault_certificates WHERE certificate_authority_id = ? AND workspace_id = ? AND engine = ? AND ${condition} ORDER BY ${sorted} LIMIT 21`
  const statement = driver.prepare(`list-${asked.indexOf(each)}`, sql)
  return () => statement(authority, workspace, 'native', ...values)
}

let workspace = ''

/** Opens a platform on a place, issues one certificate, and returns the authority. */
async function issueOne(place: { readonly dataDir: string; readonly storeUrl?: string }) {
  const bootstrap = { adminPasswordFile: administratorFile(place.dataDir) }
  const platform = await openPlatform({ config: { ...place, bootstrap }, areas, openAccess: openIam })
  const called = platform.from('192.0.2.7')
  const as = (token?: string): Ninefold => new Ninefold(platform.transport(token, { fetch: called }))
  const { api } = await signingIn(as)(administrator.email, administrator.password)
  workspace = (await addTenant(api, 'acme')).workspace
  const at = { workspace, engine: 'native' }
  const root = { type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT', subject: { common_name: 'Acme' } } as const
  const created = await api.vault.createCertificateAuthority({
    ...at,
    body: { name: 'root', ...root, lifetime: '946080000s' },
  })
  const config = { subject: { common_name: 'web.acme.example' } }
  await api.vault.createCertificate({
    ...at,
    certificate_authority: created.resource_id,
    body: { config, private_key_secret_name: 'key' },
  })
  await platform.close()
  return created.resource_id
}

/** Prints the lists on a store; returns whether all of them are within the limit. */
const printLists = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const authority = await issueOne(place)
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    const [first] = (await listOf(store, { filter: '', order: '', condition: '', values: [], sorted: '' }, {})()).items
    if (!first) throw new Error('there is no certificate to copy')
    await fill(store, first.value)
    const driver = storeUrl === undefined ? sqliteDriver(storeFile(place.dataDir)) : await postgresDriver(storeUrl)
    later(() => driver.close())
    // PostgreSQL analyses its tables by itself, after a while; SQLite has no statistics in a server either.
    if (storeUrl !== undefined) await driver.prepare('analyze', 'ANALYZE vault_certificates')()
    const where = { certificate_authority_id: authority, workspace_id: workspace, engine: 'native' }
    let isKept = true
    for (const each of asked) {
      const contenders = [
        { name: 'the bare statement', units: 1, run: bareList(driver, each, authority) },
        { name: 'the list of the store', units: 1, run: listOf(store, each, where) },
      ]
      const times =
        storeUrl === undefined
          ? (await measureRounds(contenders, { rounds: 9, warmUp: 5 })).map(median)
          : await clockRounds(contenders, 50)
      const title = `20 of ${count} certificates by "${each.filter}" in the order "${each.order}"`
      printGroup(
        `${title}, ${storeName(storeUrl)}; limit ${limit} x`,
        contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN] as const),
      )
      const [base = Number.NaN, list = Number.NaN] = times
      isKept &&= list <= limit * base
    }
    return isKept
  })

const [, , , only] = process.argv
for (const name of ['sqlite', 'postgres']) {
  if (only !== undefined && only !== name) continue
  const server = name === 'postgres' ? await startServer() : undefined
  try {
    if (!(await printLists(server?.url))) process.exitCode = 1
  } finally {
    await server?.stop()
  }
}
