import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { modelOf } from '../../conformance/model.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { afterTests } from '../../undo.ts'

const { common, document } = await modelOf('topology')

let platform: TestPlatform
let token: string

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  const admin = await platform.admin()
  token = admin.token
  const { topology } = admin.api
  await topology.registerDeploymentTarget({ body: registration })
  await topology.approveLocation({ id: 'site', body: { region: 'site1' } })
  await topology.createZone({ body: { name: 'site-a', location: 'site' } })
  await topology.createMultiRegion({ body: { name: 'pair', regions: ['site1', 'local1'] } })
  await topology.createResourcePool({ body: { ...pool, name: 'pool' } })
})

const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
const driver = 'TOPOLOGY_DRIVER_SIMULATED' as const
const registration = { name: 'host', location: 'site', driver, capacity }
const pool = {
  zone: 'site-a',
  deployment_target: 'host',
  capacity: { vcpus: 1, memory_mib: 1, disk_gib: 1 },
  reserved: { vcpus: 0, memory_mib: 0, disk_gib: 0 },
  overcommit: { vcpus: 1, memory_mib: 1, disk_gib: 1 },
  numa_nodes: [],
  schedulable: true,
}
const standard = { display_name: '', description: '', labels: {}, etag: '' }

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

const values: readonly unknown[] = [
  ['', ' ', '\u0000', '\ud800', 'ünïcødé', '\u202e', '__proto__', 'constructor', 'toString', 'a'.repeat(100_000)],
  ["'; DROP TABLE topology_zones; --", '../../etc/passwd', '%00', '${7*7}', 'local1', 'local-sim', 'host', 'paris\n'],
  [0, -0, -1, 1.5, 1e-7, 2 ** 53, 2 ** 63, 1e308, null, true, [], {}, [[]], [null], [{}], deep(60)],
  [Array.from({ length: 5000 }, () => 'local1'), { vcpus: -1 }, { vcpus: 2 ** 60, memory_mib: 1, disk_gib: 1 }],
  [0.1, 0.005, 1 / 3, 1.005, 1.01, 16, 1e21, -Infinity].map(factor => ({ vcpus: factor, memory_mib: factor })),
  [2 ** 49, 2 ** 49 - 1, 2 ** 53 + 2, '1'].map(most => ({ vcpus: most, memory_mib: 0, disk_gib: most })),
  [[{ vcpus: 0, memory_mib: 0 }], [{ vcpus: 2 ** 49, memory_mib: 0 }], [{ vcpus: 1 }], [{ vcpus: -1, memory_mib: 0 }]],
  [Array.from({ length: 17 }, () => ({ vcpus: 0, memory_mib: 0 })), { 'Not a key': 'x' }, { a: '\u0007' }],
].flat()

interface Call {
  readonly operationId: string
  readonly path: string
  /** A body in which each member is replaced in turn. */
  readonly body: Readonly<Record<string, unknown>>
}

const hints = { proposed_region: 'eu1', country_code: 'FR', city: 'Paris', latitude: 1, longitude: 1 }

const calls: readonly Call[] = [
  {
    operationId: 'registerDeploymentTarget',
    path: 'deployment-targets:register',
    body: { ...standard, ...registration, endpoint: '', numa_nodes: [], agent_version: '', location_hints: hints },
  },
  {
    operationId: 'updateDeploymentTarget',
    path: 'deployment-targets/host',
    body: { ...standard, ...registration, endpoint: '', numa_nodes: [], agent_version: '' },
  },
  {
    operationId: 'approveLocation',
    path: 'locations/site:approve',
    body: { region: '', enable: true, comment: '', etag: '' },
  },
  { operationId: 'enableLocation', path: 'locations/site:enable', body: { reason: '', etag: '' } },
  { operationId: 'createZone', path: 'zones', body: { ...standard, name: 'z', location: 'site', schedulable: true } },
  { operationId: 'updateZone', path: 'zones/site-a', body: { ...standard, schedulable: true } },
  {
    operationId: 'createMultiRegion',
    path: 'multi-regions',
    body: { ...standard, name: 'm', regions: ['local1', 'site1'] },
  },
  { operationId: 'updateMultiRegion', path: 'multi-regions/pair', body: { ...standard, regions: ['local1', 'site1'] } },
  { operationId: 'createResourcePool', path: 'resource-pools', body: { ...standard, ...pool, name: 'p' } },
  { operationId: 'updateResourcePool', path: 'resource-pools/pool', body: { ...standard, ...pool, etag: undefined } },
]

/** Sends a request; returns the status and the reason of the response. The reason is empty for a success. */
async function sent(method: string, path: string, body?: string): Promise<readonly [status: number, reason: string]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { method, headers, ...(body !== undefined && { body }) }
  const answer = await platform.from('192.0.2.9')(`${baseUrl}/topology/v1/${path}`, request)
  const status: { readonly details?: readonly { readonly reason?: string }[] } = await answer.json()
  return [answer.status, answer.status === 200 ? '' : (status.details?.[0]?.reason ?? 'none')]
}

/** Returns the reasons that an operation declares, and the common reasons. */
function reasonsOf(operationId: string): ReadonlySet<string> {
  const raises = document.operations.find(({ id }) => id === operationId)?.raises ?? []
  return new Set([...raises, ...common.map(({ reason }) => reason)])
}

describe('hostile input', () => {
  it.each(calls)('in every member of $operationId is answered by what it declares', async call => {
    const { body, operationId, path } = call
    const allowed = reasonsOf(operationId)
    const method = operationId.startsWith('update') ? 'PATCH' : 'POST'
    const faults: string[] = []
    for (const member of [...Object.keys(body), '__proto__', 'id', 'state', 'probe', 'allocated', 'pinned']) {
      for (const value of values) {
        const text = JSON.stringify({ ...body, [member]: value })
        const [status, reason] = await sent(method, path, text)
        const isFit = status === 200 || (status < 500 && allowed.has(reason))
        if (!isFit) faults.push(`${member}=${JSON.stringify(value)?.slice(0, 40)}: ${status} ${reason}`)
      }
    }
    expect(faults).toEqual([])
  })

  it.each(['deployment-targets', 'locations', 'regions', 'multi-regions', 'zones', 'resource-pools'])(
    'in queries and paths of %s is refused by its own reason',
    async list => {
      const faults: string[] = []
      const queries = ['filter', 'order_by', 'page_token', 'page_size', 'x']
      for (const name of queries) {
        for (const value of values) {
          const text = encodeURIComponent(String(value).replaceAll('\ud800', '').slice(0, 5000))
          const [status, reason] = await sent('GET', `${list}?${name}=${text}`)
          const isFit =
            status === 200 ||
            (status === 400 && /^(FILTER|ORDER_BY|PAGE_TOKEN|FIELD)_(INVALID|UNSUPPORTED)$/.test(reason))
          if (!isFit) faults.push(`${name}=${text.slice(0, 40)}: ${status} ${reason}`)
        }
      }
      for (const id of [
        '%00',
        '..',
        '%2e%2e',
        'A',
        '\u202e',
        'x'.repeat(8000),
        '00000000-0000-0000-0000-000000000000',
      ]) {
        const [status, reason] = await sent('GET', `${list}/${encodeURIComponent(id)}`)
        if (!(status === 404 || (status === 400 && reason === 'FIELD_INVALID')))
          faults.push(`${id}: ${status} ${reason}`)
      }
      expect(faults).toEqual([])
    },
  )

  it('leaves a sound store, and no internal fault in the log', async () => {
    expect(platform.lines.filter(line => line.includes('INTERNAL'))).toEqual([])
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
