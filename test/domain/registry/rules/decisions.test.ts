import { beforeAll, describe, expect, it } from 'vitest'
import type { AccessRuleInput } from '../../../../output/registry/types.ts'
import { addTenant } from '../../../areas/members.ts'
import { registryMember, type RegistryMember } from '../members.ts'
import { faultOf, OciClient } from '../oci-client.ts'
import { servedRegistry, type ServedRegistry } from '../served-registry.ts'
import { afterTests } from '../../../undo.ts'

let served: ServedRegistry
let nobody: RegistryMember
let puller: RegistryMember

beforeAll(async () => {
  served = await servedRegistry(afterTests)
  nobody = await registryMember(served, 'nobody', served, [])
  puller = await registryMember(served, 'puller', served, ['registry.artifacts.pull'])
})

/** Creates a repository with an image of the tag `v1`, and returns its id and the address of the manifest. */
async function pushed(own: string) {
  const repository = await served.repository(own)
  await served.oci.pushImage(`acme/web/${own}`, 'v1', own)
  return { repository, name: `acme/web/${own}`, manifest: `/v2/acme/web/${own}/manifests/v1` }
}

const deny = (rule: Partial<AccessRuleInput>) => ruleOf({ effect: 'REGISTRY_POLICY_EFFECT_DENY', ...rule })

const ruleOf = (rule: Partial<AccessRuleInput>): AccessRuleInput => ({
  effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
  principals: ['ALL_AUTHENTICATED'],
  actions: ['REGISTRY_ACTION_PULL'],
  ...rule,
})

const addPolicy = (repository: string, ...rules: AccessRuleInput[]) =>
  served.api.registry.createRepositoryAccessPolicy({
    workspace: served.workspace,
    engine: 'native',
    repository,
    body: { name: 'rules', rules },
  })

/** Pulls with a new token; returns 200 or the fault. */
async function pull(oci: OciClient, manifest: string): Promise<string> {
  oci.forget()
  const answer = await oci.send(manifest)
  return answer.status === 200 ? '200' : faultOf(answer)
}

const denied = '403 DENIED IAM_PERMISSION_DENIED'

describe('a pull', () => {
  it('needs a permission, a rule or a grant', async () => {
    const { manifest, repository } = await pushed('plain')
    expect(await pull(puller.oci, manifest)).toBe('200')
    expect(await pull(nobody.oci, manifest)).toBe(denied)
    await addPolicy(repository, ruleOf({ principals: [nobody.id] }))
    expect(await pull(nobody.oci, manifest)).toBe('200')
    expect(await pull(new OciClient(served.url), manifest)).toBe(denied)
  })

  it('of a public repository needs no account', async () => {
    const { manifest, repository } = await pushed('public')
    await addPolicy(repository, ruleOf({ principals: ['ALL_USERS'] }))
    expect(await pull(new OciClient(served.url), manifest)).toBe('200')
    const answer = await new OciClient(served.url).send('/v2/acme/web/public/blobs/uploads/', { method: 'POST' })
    expect(faultOf(answer)).toBe(denied)
  })

  it('is denied by a rule before every permission, while the rule is enabled and matches', async () => {
    const { manifest, repository } = await pushed('denied')
    const { resource_id: id } = await addPolicy(repository, deny({ principals: [puller.id] }))
    expect(await pull(puller.oci, manifest)).toBe(denied)
    expect(await pull(served.oci, manifest)).toBe('200')
    const at = { workspace: served.workspace, engine: 'native', repository, id }
    await served.api.registry.updateRepositoryAccessPolicy({ ...at, update_mask: 'enabled', body: { enabled: false } })
    expect(await pull(puller.oci, manifest)).toBe('200')
    const elsewhere = [deny({ principals: [puller.id], source_cidrs: ['198.51.100.0/24'] })]
    await served.api.registry.updateRepositoryAccessPolicy({ ...at, body: { enabled: true, rules: elsewhere } })
    expect(await pull(puller.oci, manifest)).toBe('200')
  })

  it('by a grant ends within a second after the grant, also with the token from before', async () => {
    const { api, workspace } = served
    const { manifest, name, repository } = await pushed('granted')
    const other = await addTenant(api, 'friends')
    const friend = await registryMember(served, 'friend', other, ['registry.artifacts.pull', 'registry.artifacts.push'])
    expect(await pull(friend.oci, manifest)).toBe(denied)
    const body = { grantee_workspace_id: other.workspace, repository_id: repository }
    const { resource_id: id } = await api.registry.createPullGrant({ workspace, engine: 'native', body })
    expect(await pull(friend.oci, manifest)).toBe('200')
    expect(await pull(friend.oci, '/v2/acme/web/first/manifests/v1')).toBe(denied)
    expect(faultOf(await friend.oci.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' }))).toBe(denied)
    const token = await friend.oci.token(`repository:${name}:pull`)
    expect((await friend.oci.send(manifest, { token })).status).toBe(200)
    await api.registry.deletePullGrant({ workspace, engine: 'native', id })
    expect(faultOf(await friend.oci.send(manifest, { token }))).toBe(denied)
    expect(await pull(friend.oci, manifest)).toBe(denied)
  })
})

describe('a push', () => {
  it('may be allowed for some tags', async () => {
    const { name, repository } = await pushed('limited')
    const actions: AccessRuleInput['actions'] = ['REGISTRY_ACTION_PUSH']
    const principals = [nobody.id]
    await addPolicy(repository, ruleOf({ principals }), ruleOf({ principals, actions, tag_patterns: ['dev-*'] }))
    await nobody.oci.pushImage(name, 'dev-1', 'mine')
    const manifest = await nobody.oci.image(name, 'mine')
    expect(faultOf(await nobody.oci.pushManifest(name, 'v2', manifest))).toBe(denied)
  })

  it('may be denied for some tags', async () => {
    const { name, repository } = await pushed('guarded')
    await addPolicy(repository, deny({ actions: ['REGISTRY_ACTION_PUSH'], tag_patterns: ['v*'] }))
    await served.oci.pushImage(name, 'dev-1', 'mine')
    const manifest = await served.oci.image(name, 'mine')
    expect(faultOf(await served.oci.pushManifest(name, 'v2', manifest))).toBe(denied)
  })
})
