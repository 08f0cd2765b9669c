import { afterEach, beforeAll, describe, expect, it, vi, type MockInstance } from 'vitest'
import { engineToken } from '../../../domain/registry/engines/engine-token.ts'
import { registryMember, type RegistryMember } from '../../../domain/registry/members.ts'
import { digestOf, ociImage, ociIndex } from '../../../domain/registry/oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../../../domain/registry/served-registry.ts'
import {
  distributionCluster,
  freePort,
  type ClusterSettings,
  type DistributionCluster,
} from './distribution-cluster.ts'
import { hasPrograms, makeLayout, manyPrograms, ociPrograms, type OciPrograms } from './oci-programs.ts'

const engine = 'eu'

const hasAll = hasPrograms('the engine of a cluster', 'docker-registry', 'skopeo', 'umoci')

describe.runIf(hasAll)('an engine of CNCF Distribution', manyPrograms, () => {
  let served: ServedRegistry
  let settings: ClusterSettings
  let cluster: DistributionCluster
  let programs: OciPrograms
  let clock: MockInstance<() => number>

  beforeAll(async () => {
    const undone: (() => void | Promise<void>)[] = []
    const later = (undo: () => void | Promise<void>): void => void undone.push(undo)
    // The platform keeps the function that it finds at its start.
    clock = vi.spyOn(Date, 'now')
    later(() => clock.mockRestore())
    const port = await freePort()
    const host = `127.0.0.1:${port}`
    const engines = [{ kind: 'distribution', name: engine, url: `http://${host}/`, host }] as const
    served = await servedRegistry(later, 0, { engines })
    settings = { issuer: served.url, service: host, token: await served.oci.token(), port }
    cluster = await distributionCluster(settings, later)
    programs = ociPrograms(later)
    programs.signIn((await served.api.registry.getCredentials({ workspace: served.workspace, engine })).docker_config)
    await makeLayout(programs, 'layout', 'v1')
    await makeLayout(programs, 'other', 'v1', { text: 'other\n' })
    return async () => {
      for (const undo of undone.toReversed()) await undo()
    }
  })
  afterEach(() => clock.mockReset())

  /** Returns the id of the only group. */
  const group = async (): Promise<string> => {
    const { groups } = await served.api.taxonomy.listGroups({ organisation: served.organisation })
    return groups[0]?.id ?? ''
  }

  /** Creates a repository, and returns its id. */
  const repository = async (name: string): Promise<string> =>
    (await served.api.registry.createRepository({ workspace: served.workspace, engine, body: { name } })).resource_id

  const target = (name: string): string => `docker://${settings.service}/acme/web/${name}`
  const copy = (name: string, layout = 'layout') =>
    ['copy', '--quiet', '--dest-tls-verify=false', `oci:${layout}:v1`, target(name)] as const
  const inspect = (name: string) => ['inspect', '--tls-verify=false', target(name)] as const

  /** Sends a call with a token for a scope. */
  async function send(path: string, scope: string, call: RequestInit = {}, password?: string): Promise<Response> {
    const { accessToken, url } = served
    const token = await engineToken({ url, service: settings.service, password: password ?? accessToken }, scope)
    return fetch(`${cluster.url}/v2/${path}`, {
      ...call,
      headers: { authorization: `Bearer ${token}`, ...call.headers },
    })
  }

  const statusOf = async (name: string, reference: string): Promise<number> =>
    (
      await send(`acme/web/${name}/manifests/${reference}`, `repository:acme/web/${name}:pull`, {
        headers: { accept: `${ociImage}, ${ociIndex}` },
      })
    ).status

  it('stores what clients push with the credentials of the API, and refuses all else', async () => {
    const { api, organisation, workspace } = served
    const app = await repository('app')
    await programs.run('skopeo', ...copy('app:v1'))
    const { Digest: digest } = JSON.parse(await programs.run('skopeo', ...inspect('app:v1')))
    expect(await statusOf('app', digest)).toBe(200)
    const shown = await api.registry.getRepository({ workspace, engine, id: app })
    expect(shown).toMatchObject({ uri: target('app').slice('docker://'.length) })
    expect(shown).not.toHaveProperty('artifact_count')
    expect(await programs.refused('skopeo', ...copy('nope:v1'))).toContain('denied')
    const { resource_id: other } = await api.taxonomy.createWorkspace({
      organisation,
      body: { name: 'other', parent_group_id: await group() },
    })
    const at = (place: string, name: string): Promise<RegistryMember> =>
      registryMember(served, name, { organisation, workspace: place }, [
        'registry.artifacts.pull',
        'registry.artifacts.push',
      ])
    const guest = await at(other, 'guest')
    const as = ['--creds', `token:${guest.token}`] as const
    expect(await programs.refused('skopeo', ...inspect('app:v1'), ...as)).toContain('denied')
    const grant = { grantee_workspace_id: other, repository_id: app }
    const { resource_id: id } = await api.registry.createPullGrant({ workspace, engine, body: grant })
    expect(JSON.parse(await programs.run('skopeo', ...inspect('app:v1'), ...as))).toMatchObject({ Digest: digest })
    expect(await programs.refused('skopeo', ...copy('app:v2'), '--dest-creds', `token:${guest.token}`)).toContain(
      'denied',
    )
    await api.registry.deletePullGrant({ workspace, engine, id })
    expect(await programs.refused('skopeo', ...inspect('app:v1'), ...as)).toContain('denied')
    expect(await programs.refused('skopeo', ...inspect('app:v1'), '--no-creds')).toContain('denied')
  })

  it('refuses a token that has ended', async () => {
    const { api, url, workspace } = served
    const id = await repository('public')
    await programs.run('skopeo', ...copy('public:v1'))
    const rule = { principals: ['ALL_USERS'], actions: ['REGISTRY_ACTION_PULL' as const] }
    const rules = [{ effect: 'REGISTRY_POLICY_EFFECT_ALLOW' as const, ...rule }]
    await api.registry.createRepositoryAccessPolicy({ workspace, engine, repository: id, body: { name: 'all', rules } })
    const anonymous = { url, service: settings.service, password: undefined }
    const read = async (): Promise<number> => {
      const token = await engineToken(anonymous, 'repository:acme/web/public:pull')
      const headers = { authorization: `Bearer ${token}`, accept: ociImage }
      return (await fetch(`${cluster.url}/v2/acme/web/public/manifests/v1`, { headers })).status
    }
    const now = Date.now()
    // The cluster accepts a token for a minute after its end.
    for (const [secondsAgo, status] of [
      [0, 200],
      [200, 200],
      [400, 401],
    ] as const) {
      clock.mockReturnValue(now - secondsAgo * 1000)
      expect([secondsAgo, await read()]).toEqual([secondsAgo, status])
    }
  })

  it('loses the content of a repository that is deleted by force, indexes with their children too', async () => {
    const { api, workspace } = served
    const id = await repository('gone')
    for (const [tag, layout] of [
      ['v1', 'layout'],
      ['same', 'layout'],
      ['v2', 'other'],
    ] as const)
      await programs.run('skopeo', ...copy(`gone:${tag}`, layout))
    const { Digest: child } = JSON.parse(await programs.run('skopeo', ...inspect('gone:v2')))
    const size = Number(
      (
        await send('acme/web/gone/manifests/v2', 'repository:acme/web/gone:pull', {
          headers: { accept: ociImage },
          method: 'HEAD',
        })
      ).headers.get('content-length'),
    )
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: ociIndex,
      manifests: [{ mediaType: ociImage, digest: child, size }],
    })
    const scope = 'repository:acme/web/gone:pull,push,delete'
    const pushed = { method: 'PUT', headers: { 'content-type': ociIndex }, body: index }
    expect((await send('acme/web/gone/manifests/all', scope, pushed)).status).toBe(201)
    // Only the index names its child now.
    await programs.run('skopeo', ...copy('gone:v2'))
    await expect(api.registry.deleteRepository({ workspace, engine, id })).rejects.toMatchObject({
      reason: 'REPOSITORY_NOT_EMPTY',
    })
    const operation = await api.registry.deleteRepository({ workspace, engine, id, force: true })
    await expect
      .poll(() => api.registry.getOperation({ id: operation.id }))
      .toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE', errors: [] })
    const again = await repository('gone')
    for (const reference of ['v1', 'same', 'v2', 'all', child, digestOf(index)])
      expect([reference, await statusOf('gone', reference)]).toEqual([reference, 404])
    expect((await api.registry.deleteRepository({ workspace, engine, id: again })).status).toBe(
      'REGISTRY_OPERATION_STATUS_DONE',
    )
  })

  it('loses the content of a workspace that is deleted', async () => {
    const { accessToken, api, organisation, url } = served
    const added = async (): Promise<string> => {
      const body = { name: 'ended', parent_group_id: await group() }
      const { resource_id: workspace } = await api.taxonomy.createWorkspace({ organisation, body })
      await api.registry.createRepository({ workspace, engine, body: { name: 'app' } })
      return workspace
    }
    const read = async (): Promise<number> => {
      const question = { url, service: settings.service, password: accessToken }
      const token = await engineToken(question, 'repository:acme/ended/app:pull')
      const headers = { authorization: `Bearer ${token}`, accept: ociImage }
      return (await fetch(`${cluster.url}/v2/acme/ended/app/manifests/v1`, { headers })).status
    }
    const id = await added()
    await programs.run('skopeo', ...copy('app:v1').slice(0, -1), `docker://${settings.service}/acme/ended/app:v1`)
    expect(await read()).toBe(200)
    await api.taxonomy.archiveWorkspace({ organisation, id, body: {} })
    const deleted = await api.taxonomy.deleteWorkspace({ organisation, id, force: true })
    await expect
      .poll(() => api.taxonomy.getOperation({ id: deleted.id }))
      .toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', warnings: [] })
    await added()
    expect(await read()).toBe(404)
  })

  it('keeps a repository whose content the cluster does not delete, until the cluster does', async () => {
    const { api, workspace } = served
    const id = await repository('kept')
    await cluster.stop()
    cluster = await distributionCluster({ ...settings, canDelete: false })
    await programs.run('skopeo', ...copy('kept:v1'))
    const at = { workspace, engine, id }
    const refused = await api.registry.deleteRepository({ ...at, force: true })
    await expect
      .poll(() => api.registry.getOperation({ id: refused.id }))
      .toMatchObject({
        status: 'REGISTRY_OPERATION_STATUS_ERROR',
        errors: [{ code: 5_000_002, reason: 'ENGINE_CAPABILITY_UNSUPPORTED' }],
      })
    expect(await api.registry.getRepository(at)).toMatchObject({ state: 'REGISTRY_REPOSITORY_STATE_ACTIVE' })
    expect(await statusOf('kept', 'v1')).toBe(200)
  })
})
