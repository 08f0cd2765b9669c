import { beforeAll, describe, expect, it } from 'vitest'
import { absentId, addTenant } from '../../../areas/members.ts'
import { registryMember } from '../members.ts'
import { digestOf, OciClient, ociImage, toldBy, type OciCall } from '../oci-client.ts'
import { sharedRegistry } from '../plane/shared-registry.ts'

const registry = sharedRegistry()

/** Callers who may not know which repositories exist, by name. */
const callers = new Map<string, OciClient>()

/** The names under which a repository exists that the callers may not see. */
let existing: readonly string[]
/** Names under which there is no repository. */
let absent: readonly string[]

let digest: string

beforeAll(async () => {
  const served = registry()
  const { api, oci, workspace } = served
  await served.repository('hidden')
  const shared = await served.repository('shared')
  digest = await oci.pushImage('acme/web/hidden', 'v1', 'hidden')
  existing = ['acme/web/hidden', `${workspace}/hidden`]
  absent = ['acme/web/absent', `${workspace}/absent`, 'acme/none/hidden', 'none/web/hidden', `${absentId}/hidden`]
  const other = await addTenant(api, 'others')
  const all = ['registry.artifacts.pull', 'registry.artifacts.push', 'registry.artifacts.delete']
  callers.set('an anonymous caller', new OciClient(served.url))
  callers.set('a user without rights', (await registryMember(served, 'nobody', other, [])).oci)
  callers.set('a user of another organisation', (await registryMember(served, 'stranger', other, all)).oci)
  const friends = await addTenant(api, 'friends')
  callers.set('a user with a grant of another repository', (await registryMember(served, 'friend', friends, all)).oci)
  const body = { grantee_workspace_id: friends.workspace, repository_id: shared }
  await api.registry.createPullGrant({ workspace, engine: 'native', body })
  const allowed = await registryMember(served, 'allowed', other, [])
  const rules = [
    {
      effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const,
      principals: [allowed.id],
      actions: ['REGISTRY_ACTION_PULL' as const, 'REGISTRY_ACTION_PUSH' as const],
    },
  ]
  const policy = { workspace, engine: 'native', repository: shared, body: { name: 'allowed', rules } }
  await api.registry.createRepositoryAccessPolicy(policy)
  callers.set('a user with a rule of another repository', allowed.oci)
})

/** The calls on a repository, each as its path below the name. */
const calls: readonly (readonly [path: string, call: OciCall])[] = [
  ['/manifests/v1', {}],
  ['/manifests/v1', { method: 'HEAD' }],
  ['/manifests/DIGEST', {}],
  ['/manifests/v2', { method: 'PUT', headers: { 'content-type': ociImage }, body: '{}' }],
  ['/manifests/DIGEST', { method: 'DELETE' }],
  ['/blobs/LAYER', {}],
  ['/blobs/LAYER', { method: 'HEAD' }],
  ['/blobs/LAYER', { method: 'DELETE' }],
  ['/blobs/uploads/', { method: 'POST' }],
  ['/blobs/uploads/?mount=LAYER', { method: 'POST' }],
  [`/blobs/uploads/${absentId}`, {}],
  [`/blobs/uploads/${absentId}`, { method: 'PATCH', body: 'x' }],
  [`/blobs/uploads/${absentId}?digest=LAYER`, { method: 'PUT', body: 'x' }],
  ['/tags/list', {}],
  ['/referrers/DIGEST', {}],
]

const target = (name: string, path: string): string =>
  `/v2/${name}${path.replace('DIGEST', digest).replace('LAYER', digestOf('hidden'))}`

const names = [
  'an anonymous caller',
  'a user without rights',
  'a user of another organisation',
  'a user with a grant of another repository',
  'a user with a rule of another repository',
]

const callerNamed = (name: string): OciClient => {
  const found = callers.get(name)
  if (!found) throw new Error(`there is no caller "${name}"`)
  return found
}

describe.each(names)('%s', caller => {
  it('gets one and the same answer for a repository that exists and for names of none', async () => {
    const oci = callerNamed(caller)
    const told = new Map<string, Set<string>>()
    for (const [path, call] of calls)
      for (const name of [...existing, ...absent]) {
        const key = `${call.method ?? 'GET'} ${path}`
        const answers = told.get(key) ?? new Set()
        told.set(key, answers.add(toldBy(await oci.send(target(name, path), call))))
      }
    expect([...told].filter(([, answers]) => answers.size > 1)).toEqual([])
    expect([...told.values()].every(([answer = '']) => answer.startsWith('[403,'))).toBe(true)
  })

  it('gets tokens without rights for all of them, and the catalogue of none', async () => {
    const oci = callerNamed(caller)
    for (const name of [...existing, ...absent]) {
      const [, payload = ''] = (await oci.token(`repository:${name}:pull,push,delete`)).split('.')
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ access: [] })
    }
    const { json } = await oci.send('/v2/_catalog')
    expect(JSON.stringify(json)).not.toContain('hidden')
  })

  it('gets the answers in times of one class', async () => {
    const oci = callerNamed(caller)
    const times = new Map([...existing, ...absent].map(name => [name, [] as number[]]))
    let [fastest, ratio] = [[] as readonly number[], Infinity]
    // Other work of the machine delays most calls, but hardly the fastest of many: a busy machine needs more rounds.
    for (let round = 0; round < 200 && (round < 40 || ratio >= 4); round += 1) {
      for (const [name, taken] of times) {
        const since = performance.now()
        await oci.send(target(name, '/manifests/v1'))
        taken.push(performance.now() - since)
      }
      fastest = [...times.values()].map(taken => Math.min(...taken))
      ratio = Math.max(...fastest) / Math.min(...fastest)
    }
    console.log(`${caller}: ${fastest.map(ms => ms.toFixed(2)).join(', ')} ms; slowest to fastest ${ratio.toFixed(2)}`)
    expect(ratio).toBeLessThan(4)
  })
})

it('a mount from a hidden repository is answered as a mount from none', async () => {
  const served = registry()
  const { api } = served
  const tenant = await addTenant(api, 'mounting')
  await api.registry.createRepository({ workspace: tenant.workspace, engine: 'native', body: { name: 'own' } })
  const all = ['registry.artifacts.pull', 'registry.artifacts.push']
  const { oci } = await registryMember(served, 'mounter', tenant, all)
  const statuses = new Set<number>()
  const headerNames = new Set<string>()
  for (const name of [...existing, ...absent]) {
    const token = await oci.token('repository:mounting/web/own:pull,push', `repository:${name}:pull`)
    const path = `/v2/mounting/web/own/blobs/uploads/?mount=${digestOf('hidden')}&from=${name}`
    const { headers, status } = await oci.send(path, { method: 'POST', token })
    statuses.add(status)
    headerNames.add([...headers.keys()].toSorted().join())
  }
  expect([...statuses]).toEqual([202])
  expect(headerNames.size).toBe(1)
})
