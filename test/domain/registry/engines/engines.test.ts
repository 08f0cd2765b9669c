import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { AccessRuleInput } from '../../../../output/registry/types.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import { registrySettings } from '../../../../server/registry/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { faultOf } from '../oci-client.ts'
import { registryMember, type RegistryMember } from '../members.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { engineToken, grantsOf } from './engine-token.ts'

/** No process listens at the port of the cluster. */
const far = { kind: 'distribution', name: 'far', url: 'http://127.0.0.1:1', host: 'far.example' } as const
const [engine, service] = [far.name, far.host]

const all = 'pull,push,delete'
const name = 'acme/web/app'
const scope = `repository:${name}:${all}`

const rule = (effect: 'ALLOW' | 'DENY', action: 'PULL' | 'PUSH', principals: readonly string[]): AccessRuleInput => ({
  effect: `REGISTRY_POLICY_EFFECT_${effect}`,
  actions: [`REGISTRY_ACTION_${action}`],
  principals: [...principals],
})

let served: ServedRegistry
let app: string
const undone: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  served = await servedRegistry(undo => void undone.push(undo), 0, { engines: [far] })
  const { api, workspace } = served
  app = (await api.registry.createRepository({ workspace, engine, body: { name: 'app' } })).resource_id
})
afterAll(async () => {
  for (const undo of undone.toReversed()) await undo()
})

const token = (password: string | undefined, ...scopes: readonly string[]) =>
  engineToken({ url: served.url, service, password }, ...scopes)

const granted = async (password: string | undefined, asked = scope) => grantsOf(await token(password, asked))

const member = (label: string, permissions: readonly string[], workspace = served.workspace): Promise<RegistryMember> =>
  registryMember(served, label, { organisation: served.organisation, workspace }, permissions)

describe('a repository of a cluster', () => {
  it('has the address of the cluster, and no counts', async () => {
    const { api, workspace } = served
    const own = await api.registry.getRepository({ workspace, engine, id: app })
    expect(own).toMatchObject({ engine, name: 'app', uri: `${service}/${name}`, size_bytes: 0 })
    expect(Object.keys(own).filter(member => /_count|size|last_|^path$/.test(member))).toEqual([
      'max_artifact_size_bytes',
      'size_bytes',
    ])
    const { repositories } = await api.registry.listRepositories({ workspace, engine })
    expect(repositories).toEqual([own])
  })

  it('belongs to its engine alone, and its name to one engine of the workspace', async () => {
    const { api, oci, workspace } = served
    await expect(api.registry.getRepository({ workspace, engine: 'native', id: app })).rejects.toMatchObject({
      reason: 'REPOSITORY_NOT_FOUND',
    })
    await expect(
      api.registry.createRepository({ workspace, engine: 'native', body: { name: 'app' } }),
    ).rejects.toMatchObject({ reason: 'REPOSITORY_ALREADY_EXISTS' })
    await expect(api.registry.listRepositories({ workspace, engine: 'near' })).rejects.toMatchObject({
      reason: 'ENGINE_NOT_FOUND',
    })
    expect(faultOf(await oci.send(`/v2/${name}/tags/list`))).toBe('404 NAME_UNKNOWN')
    const { json } = await oci.send('/v2/_catalog')
    expect(isRecord(json) && json['repositories']).toEqual(['acme/web/first'])
  })

  it('has credentials for the host of the cluster', async () => {
    const { api, workspace } = served
    const { docker_config, password, registry_host } = await api.registry.getCredentials({ workspace, engine })
    expect([registry_host, Object.keys(Object(docker_config['auths']))]).toEqual([service, [service]])
    expect(await granted(password)).toEqual([`${name}:${all}`])
  })
})

describe('a token for a cluster', () => {
  it('is for that registry alone', async () => {
    const { accessToken, oci, url } = served
    const own = await token(accessToken, scope, 'repository:acme/web/first:pull')
    expect([decodeJwt(own).aud, grantsOf(own)]).toEqual([service, [`${name}:${all}`]])
    const answer = await oci.send('/v2/acme/web/first/tags/list', { token: own })
    expect(faultOf(answer)).toBe('401 UNAUTHORIZED')
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const native = await oci.token('repository:acme/web/first:pull')
    expect([decodeJwt(native).aud, grantsOf(native)]).toEqual([new URL(url).host, ['acme/web/first:pull']])
  })

  it('grants nothing in an unknown registry, by another name, or in another repository', async () => {
    const { accessToken, url, workspace } = served
    const other = await engineToken({ url, service: 'other.example', password: accessToken }, scope)
    expect([decodeJwt(other).aud, grantsOf(other)]).toEqual([new URL(url).host, []])
    for (const asked of [`${workspace}/app`, 'acme/web/nope', 'acme/web/first', 'acme/web', 'nobody/web/app'])
      expect([asked, await granted(accessToken, `repository:${asked}:${all}`)]).toEqual([asked, []])
  })

  it('is given for OAuth 2.0 forms too', async () => {
    const { accessToken: password, url } = served
    const body = new URLSearchParams({ grant_type: 'password', service, scope, username: 'x', password })
    const answer: unknown = await (await fetch(`${url}/v2/_token`, { method: 'POST', body })).json()
    expect(isRecord(answer) && grantsOf(String(answer['access_token']))).toEqual([`${name}:${all}`])
  })

  it('grants what permissions, access policies and pull grants of the engine allow at that time', async () => {
    const { api, organisation, workspace } = served
    const puller = await member('puller', ['registry.artifacts.pull'])
    expect(await granted(puller.token)).toEqual([`${name}:pull`])
    const { resource_id: second } = await api.taxonomy.createWorkspace({
      organisation,
      body: { name: 'second', parent_group_id: (await api.taxonomy.listGroups({ organisation })).groups[0]?.id ?? '' },
    })
    const guest = await member('guest', ['registry.artifacts.pull'], second)
    const stranger = await member('stranger', [])
    expect([await granted(guest.token), await granted(stranger.token), await granted(undefined)]).toEqual([[], [], []])
    const grant = async (at: string) =>
      (await api.registry.createPullGrant({ workspace, engine: at, body: { grantee_workspace_id: second } }))
        .resource_id
    await grant('native')
    expect(await granted(guest.token)).toEqual([])
    const id = await grant(engine)
    expect([await granted(guest.token), await granted(stranger.token)]).toEqual([[`${name}:pull`], []])
    await api.registry.deletePullGrant({ workspace, engine, id })
    expect(await granted(guest.token)).toEqual([])
    const at = { workspace, engine, repository: app }
    const rules = [rule('ALLOW', 'PULL', ['ALL_USERS']), rule('DENY', 'PULL', [puller.id])]
    const { resource_id: policy } = await api.registry.createRepositoryAccessPolicy({
      ...at,
      body: { name: 'public', rules },
    })
    expect([await granted(undefined), await granted(puller.token)]).toEqual([[`${name}:pull`], []])
    await api.registry.deleteRepositoryAccessPolicy({ ...at, id: policy })
  })

  it('grants no push while the workspace is full, and nothing while it is suspended', async () => {
    const { accessToken, api, oci, organisation, workspace } = served
    await oci.pushImage('acme/web/first', 'v1', 'some bytes')
    const body = { quota_definition_id: 'registry.storageBytes', limit: 1 }
    const { resource_id: id } = await api.registry.createQuotaLimit({ workspace, body })
    expect(await granted(accessToken)).toEqual([`${name}:pull,delete`])
    await api.registry.deleteQuotaLimit({ workspace, id })
    expect(await granted(accessToken)).toEqual([`${name}:${all}`])
    await api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
    expect(await granted(accessToken)).toEqual([])
    await api.taxonomy.resumeWorkspace({ organisation, id: workspace, body: {} })
    await expect.poll(() => granted(accessToken)).toEqual([`${name}:${all}`])
  })
})

describe('what a cluster cannot do', () => {
  const rules = [{ ...rule('ALLOW', 'PUSH', ['ALL_AUTHENTICATED']), tag_patterns: ['v*'] }]

  it.each([
    [
      'DEPLOYMENT_LOCKS',
      () =>
        served.api.registry.createDeploymentLock({
          workspace: served.workspace,
          repository: app,
          body: { reference: 'v1', reason: 'in use' },
        }),
    ],
    [
      'IMMUTABLE_TAGS',
      () =>
        served.api.registry.createRepository({
          workspace: served.workspace,
          engine,
          body: { name: 'b', tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE' },
        }),
    ],
    [
      'IMMUTABLE_TAGS',
      () =>
        served.api.registry.updateRepository({
          workspace: served.workspace,
          engine,
          id: app,
          body: { tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE' },
        }),
    ],
    [
      'ALLOWED_KINDS',
      () =>
        served.api.registry.createRepository({
          workspace: served.workspace,
          engine,
          body: { name: 'b', allowed_kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'] },
        }),
    ],
    [
      'ARTIFACT_SIZES',
      () =>
        served.api.registry.updateRepository({
          workspace: served.workspace,
          engine,
          id: app,
          update_mask: 'max_artifact_size_bytes',
          body: { max_artifact_size_bytes: 5 },
        }),
    ],
    [
      'TAG_PATTERNS',
      () =>
        served.api.registry.createAccessPolicy({
          workspace: served.workspace,
          engine,
          body: { name: 'p', rules },
        }),
    ],
    [
      'TAG_PATTERNS',
      () =>
        served.api.registry.createRepositoryAccessPolicy({
          workspace: served.workspace,
          engine,
          repository: app,
          body: { name: 'p', rules },
        }),
    ],
    ['RETENTION_POLICIES', () => served.api.registry.listRetentionPolicies({ workspace: served.workspace, engine })],
    ['SCAN_POLICIES', () => served.api.registry.listScanPolicies({ workspace: served.workspace, engine })],
  ])('is ENGINE_CAPABILITY_UNSUPPORTED: %s', async (capability, call) => {
    await expect(call()).rejects.toMatchObject({
      reason: 'ENGINE_CAPABILITY_UNSUPPORTED',
      code: 5_000_002,
      metadata: expect.objectContaining({ capability }),
    })
  })

  it('is absent from paths that name the native engine', async () => {
    const { accessToken, url, workspace } = served
    const path = `/registry/v1/workspaces/${workspace}/engines/far/repositories/${app}/artifacts`
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([
      404,
      expect.stringContaining('ENGINE_NOT_FOUND'),
    ])
  })
})

describe('a cluster that does not answer', () => {
  it('is named by the readiness of the server, and stops nothing but the deletion of its repositories', async () => {
    const { accessToken, api, url, workspace } = served
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).json())
      .toEqual({ status: 'degraded', reason: 'the cluster of engine far of the registry does not answer' })
    // The generated client would wait and try again.
    const path = `/registry/v1/workspaces/${workspace}/engines/far/repositories/${app}`
    const answer = await fetch(`${url}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(JSON.stringify(await answer.json())).toContain('ENGINE_UNAVAILABLE')
    const { id } = await api.registry.deleteRepository({ workspace, engine, id: app, force: true })
    expect(await granted(accessToken)).toEqual([])
    const ended = {
      status: 'REGISTRY_OPERATION_STATUS_ERROR',
      errors: [{ code: 5_000_003, reason: 'ENGINE_UNAVAILABLE' }],
    }
    await expect.poll(() => api.registry.getOperation({ id })).toMatchObject(ended)
    expect(await api.registry.getRepository({ workspace, engine, id: app })).toMatchObject({
      state: 'REGISTRY_REPOSITORY_STATE_ACTIVE',
    })
    expect(await granted(accessToken)).toEqual([`${name}:${all}`])
  })
})

describe('the host of an engine', () => {
  it.each([
    ['that of the base URL', { baseUrl: 'http://far.example' }],
    ['that of the setting', { given: new GivenSettings().with(registrySettings['registry.host'], 'far.example') }],
  ])('is refused at the start if it is also %s', async (_, settings) => {
    const start = servedRegistry(onTestFinished, 0, { engines: [far], ...settings })
    await expect(start).rejects.toThrow('registry.engines: the host of far must differ from far.example')
  })
})
