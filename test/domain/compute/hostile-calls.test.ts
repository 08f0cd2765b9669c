import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId } from '../../areas/members.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { areas } from '../../../server/areas.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { faultOf, isDeclared, senderOf, settled, type Send } from './hostile-requests.ts'
import { replaced, values } from './hostile-values.ts'
import { activitiesIn } from '../../areas/activities.ts'
import { tenantVms, tinyBody, type TenantVms } from './tenant-vms.ts'
import { afterTests } from '../../undo.ts'

let tenant: TenantVms
let send: Send
let vms: string
let vm: string
/** The ids of a machine and a subnet in another workspace. */
let foreign: { readonly vm: string; readonly subnet: string }

beforeAll(async () => {
  tenant = await tenantVms(0, { later: afterTests })
  const { api, created, ended, organisation, platform, subnet, workspace } = tenant
  send = senderOf(tenant, (await platform.admin()).token)
  vms = `workspaces/${workspace}/engines/native/vms`
  vm = (await created('vm', { network_interfaces: [{ subnet_id: subnet }] })).id
  const other = (await api.taxonomy.createWorkspace({ organisation, body: { name: 'other' } })).resource_id
  const place = { workspace: other, engine: 'native' }
  const vpc = { name: 'main', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...place, body: vpc })
  const body = { name: 's', vpc_id, cidr_block: '10.20.1.0/24' }
  const foreignSubnet = (await api.network.createSubnet({ ...place, body })).resource_id
  const creation = await api.compute.createVm({ workspace: other, body: { ...tinyBody, name: 'foreign' } })
  foreign = { vm: (await ended(creation)).resource_id, subnet: foreignSubnet }
})

const verbs: readonly (readonly [verb: string, members: readonly string[]])[] = [
  ['start', ['etag']],
  ['stop', ['grace_period_seconds', 'discard_saved_state', 'etag']],
  ['suspend', ['etag']],
  ['resume', ['etag']],
  ['restart', ['grace_period_seconds', 'etag']],
  ['reset', ['etag']],
]

/** Bodies that are no object of JSON. */
const noObjects = ['', '{', 'null', '[]', '"x"', '7', '{"a": 1, "a": 2', `${'['.repeat(10_000)}`, '{"etag": NaN}']

describe('a hostile call of a verb', () => {
  it.each(verbs)('%s is answered by what the operation declares', async (verb, members) => {
    const faults: string[] = []
    for (const member of [...members, 'id', '__proto__', 'x'])
      for (const value of values) {
        const answer = await send('POST', `${vms}/${vm}:${verb}`, replaced({}, [member], value))
        faults.push(...faultOf(`${verb}Vm`, value, answer))
        await settled(tenant, answer)
      }
    expect(faults).toEqual([])
  })

  it.each([...verbs.map(([verb]) => [verb, 'POST', `:${verb}`] as const), ['update', 'PATCH', ''] as const])(
    '%s without an object is refused',
    async (_verb, method, suffix) => {
      for (const body of noObjects) {
        const { reason, status } = await send(method, `${vms}/${vm}${suffix}`, body)
        expect([body.slice(0, 20), status, reason]).toEqual([body.slice(0, 20), 400, 'FIELD_INVALID'])
      }
    },
  )
})

/** Returns a value as the text of a query parameter; a lone surrogate, which a URL cannot contain, is left out. */
const asText = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll('\ud800', '').slice(0, 5000)

const lists = ['VMS', 'operations', 'filterSchemas'] as const

describe('a hostile query', () => {
  it.each(lists)('of the list %s is refused by its own reason', async list => {
    const path = list === 'VMS' ? vms : list
    const faults: string[] = []
    for (const name of ['filter', 'order_by', 'page_token', 'page_size', 'x'])
      for (const value of [
        ...values,
        'numa.nodes:*',
        'labels.:*',
        'NOT '.repeat(2000),
        '('.repeat(5000),
        'metadata.a = "x"',
      ]) {
        const text = encodeURIComponent(asText(value))
        const { reason, status } = await send('GET', `${path}?${name}=${text}`)
        const isFit = status === 200 || (status === 400 && /^(FILTER|ORDER_BY|PAGE_TOKEN|FIELD)_INVALID$/.test(reason))
        if (!isFit) faults.push(`${name}=${text.slice(0, 40)}: ${status} ${reason}`)
      }
    expect(faults).toEqual([])
  })

  it('of hidden members is refused', async () => {
    for (const member of [
      'operation_id',
      'holds',
      'driver',
      'removed_gib',
      'crash_times',
      'lifecycle',
      'cores',
      'metadata.a',
    ]) {
      expect(await send('GET', `${vms}?filter=${member}:*`)).toMatchObject({ status: 400, reason: 'FILTER_INVALID' })
      expect(await send('GET', `${vms}?order_by=${member}`)).toMatchObject({ status: 400, reason: 'ORDER_BY_INVALID' })
    }
  })

  it.each(['update_mask', 'etag'])('%s is answered as declared', async name => {
    const [method, operationId] = name === 'etag' ? ['DELETE', 'deleteVm'] : ['PATCH', 'updateVm']
    const faults: string[] = []
    const texts = [
      '*',
      ',',
      'labels,',
      'labels.',
      'labels.a.b',
      'numa.nodes[0]',
      '__proto__',
      'constructor.name',
      'status',
      'id',
      'a,'.repeat(5000),
    ]
    for (const text of [...texts, ...values.map(value => asText(value) || 'x')]) {
      const body = method === 'PATCH' ? JSON.stringify({ labels: {} }) : undefined
      // A deletion with the right etag, which is a number, or with the etag of any machine would succeed.
      if (method === 'DELETE' && /^(?:\d+|\*)$/.test(text)) continue
      const answer = await send(method, `${vms}/${vm}?${name}=${encodeURIComponent(text)}`, body)
      if (method === 'DELETE') expect([text, answer.status]).not.toEqual([text, 200])
      faults.push(...faultOf(operationId, text, answer))
      await settled(tenant, answer)
    }
    expect(faults).toEqual([])
  })
})

describe('a hostile path', () => {
  const ids = [
    '%00',
    '..',
    '%2e%2e',
    'A',
    '%E2%80%AE',
    'x'.repeat(8000),
    absentId,
    `${absentId}%20`,
    '__proto__',
    ':start',
    '%ff',
  ]

  it.each(ids)('with the id %s leads to no machine', async id => {
    for (const [method, suffix, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', '', '{}'],
      ['POST', ':start', '{}'],
    ] as const)
      for (const path of [`${vms}/${id}${suffix}`, `workspaces/${id}/engines/native/vms/${vm}${suffix}`]) {
        const { reason, status } = await send(method, path, body)
        expect([400, 403, 404, 405]).toContain(status)
        expect(reason).toMatch(/_NOT_FOUND$|^FIELD_INVALID$|^IAM_PERMISSION_DENIED$|^METHOD_NOT_ALLOWED$/)
      }
  })

  it.each(['libvirt', 'NATIVE', 'native%00', '*'])('with the engine %s leads to no engine', async engine => {
    for (const suffix of ['', `/${vm}`]) {
      const answer = await send('GET', `workspaces/${tenant.workspace}/engines/${engine}/vms${suffix}`)
      expect(answer).toMatchObject({ status: 404, reason: 'ENGINE_NOT_FOUND' })
    }
  })

  it('with a machine of another workspace leads to no machine', async () => {
    for (const [method, suffix, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', '?update_mask=labels', '{}'],
      ...verbs.map(([verb]) => ['POST', `:${verb}`, '{}'] as const),
    ] as const)
      expect(await send(method, `${vms}/${foreign.vm}${suffix}`, body)).toMatchObject({
        status: 404,
        reason: 'VM_NOT_FOUND',
      })
  })
})

describe('a body with a subnet of another workspace', () => {
  it('is refused like an absent subnet', async () => {
    const stopped = await tenant.created('stopped', { start_on_create: false })
    const network_interfaces = [{ subnet_id: foreign.subnet }]
    const body = JSON.stringify({ ...tinyBody, name: 'fresh', network_interfaces })
    for (const answer of [
      await send('POST', vms, body),
      await send(
        'PATCH',
        `${vms}/${stopped.id}?update_mask=network_interfaces`,
        JSON.stringify({ network_interfaces }),
      ),
    ])
      expect(answer).toMatchObject({ status: 400, reason: 'VM_SUBNET_NOT_FOUND' })
  })
})

it.each(['', ' ', 'x'.repeat(257), 'ü', '"', '\\'])('the idempotency key %j is answered as declared', async key => {
  const answer = await send('PATCH', `${vms}/${vm}?update_mask=labels`, '{}', { 'idempotency-key': encodeURI(key) })
  expect(isDeclared('updateVm', answer)).toBe(true)
})

it('metadata are in no log, no error, no operation and no activity', async () => {
  const { platform } = tenant
  const secret = 'correct-horse-battery'
  const metadata = { 'user-data': secret }
  const created = await settled(
    tenant,
    await send('POST', vms, JSON.stringify({ ...tinyBody, name: 'keeper', metadata })),
  )
  const answers = [
    await send('POST', vms, JSON.stringify({ ...tinyBody, name: 'keeper', metadata })),
    await send('POST', vms, JSON.stringify({ ...tinyBody, name: 'big', metadata: { a: secret.repeat(4000) } })),
    await send('POST', vms, JSON.stringify({ ...tinyBody, name: 'nul', metadata: { a: `${secret}\0`, 'b!': secret } })),
    await send(
      'PATCH',
      `${vms}/${created}?update_mask=metadata`,
      JSON.stringify({ metadata: { 'user-data': [secret] } }),
    ),
    await send(
      'PATCH',
      `${vms}/${created}?update_mask=metadata`,
      JSON.stringify({ metadata: { ...metadata, 'ssh-keys': secret } }),
    ),
    await send('GET', 'operations'),
  ]
  const store = await openBeside(platform.config, storeCollections(areas))
  const activities = (await activitiesIn(store)).map(activity => JSON.stringify(activity))
  await store.close()
  expect(activities.filter(each => each.includes('createVm'))).not.toEqual([])
  for (const text of [...answers.map(each => each.text), ...activities, ...platform.lines])
    expect(text).not.toContain(secret)
})

it('the store is sound afterwards, and the log has no internal fault', async () => {
  expect(tenant.platform.lines.filter(line => line.includes('INTERNAL'))).toEqual([])
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
})
