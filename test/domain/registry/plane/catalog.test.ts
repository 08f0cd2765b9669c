import { expect, it } from 'vitest'
import { repositoryCollection } from '../../../../domain/registry/repositories/repositories-store.ts'
import { openingCollection } from '../../../../domain/registry/openings/openings-store.ts'
import type { AccessRuleInput } from '../../../../output/registry/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { registryMember } from '../members.ts'
import { OciClient } from '../oci-client.ts'
import { sharedRegistry } from './shared-registry.ts'

const registry = sharedRegistry()

interface CatalogPage {
  readonly repositories: readonly string[]
  /** The path of the next page; undefined on the last one. */
  readonly next: string | undefined
}

async function pageOf(oci: OciClient, path: string): Promise<CatalogPage> {
  const { headers, json, status } = await oci.send(path)
  expect(status).toBe(200)
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
  return { repositories: Reflect.get(Object(json), 'repositories'), next }
}

/** Returns the names on all pages of `n` names. */
async function catalogOf(oci: OciClient, n = 1000): Promise<readonly string[]> {
  oci.forget()
  const names: string[] = []
  for (let path: string | undefined = `/v2/_catalog?n=${n}`; path !== undefined;) {
    const { next, repositories } = await pageOf(oci, path)
    names.push(...repositories)
    path = next
  }
  return names
}

const rule = (...principals: string[]): AccessRuleInput => ({
  effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
  principals,
  actions: ['REGISTRY_ACTION_PULL'],
})

/** Creates a workspace `<name>/web` with repositories. */
async function tenantWith(name: string, ...repositories: readonly string[]) {
  const { api } = registry()
  const tenant = await addTenant(api, name)
  const { workspace } = tenant
  const at = { workspace, engine: 'native' } as const
  const ids = new Map<string, string>()
  for (const each of repositories)
    ids.set(each, (await api.registry.createRepository({ ...at, body: { name: each } })).resource_id)
  const idOf = (each: string) => ids.get(each) ?? ''
  return {
    ...tenant,
    at,
    idOf,
    open: async (each: string, ...rules: AccessRuleInput[]) => {
      const body = { name: 'rules', rules }
      const made = await api.registry.createRepositoryAccessPolicy({ ...at, repository: idOf(each), body })
      return { ...at, repository: idOf(each), id: made.resource_id }
    },
  }
}

it('has what a permission, a rule or a grant lets the caller pull, in the order of the names', async () => {
  const { api, oci, url } = registry()
  const home = await tenantWith('home', 'zeta', 'alpha')
  const given = await tenantWith('given', 'secret', 'one')
  const whole = await tenantWith('whole', 'b', 'a')
  const opened = await tenantWith('opened', 'for-all', 'for-me', 'for-signed-in', 'hidden')
  const free = await tenantWith('free', 'y', 'x')
  const friend = await registryMember(registry(), 'catalog-friend', home, ['registry.artifacts.pull'])
  const stranger = await registryMember(registry(), 'catalog-stranger', home, [])
  const anybody = new OciClient(url)
  const grantee_workspace_id = home.workspace
  const one = { grantee_workspace_id, repository_id: given.idOf('one') }
  await api.registry.createPullGrant({ ...given.at, body: one })
  const all = await api.registry.createPullGrant({ ...whole.at, body: { grantee_workspace_id } })
  const publicly = await opened.open('for-all', rule('ALL_USERS'))
  const mine = await opened.open('for-me', rule(friend.id))
  await opened.open('for-signed-in', rule('ALL_AUTHENTICATED'))
  await opened.open('hidden', rule('ALL_USERS'), { ...rule('ALL_USERS'), effect: 'REGISTRY_POLICY_EFFECT_DENY' })
  await api.registry.createAccessPolicy({ ...free.at, body: { name: 'all', rules: [rule('ALL_AUTHENTICATED')] } })

  expect(await catalogOf(anybody)).toEqual(['opened/web/for-all'])
  const signedIn = ['free/web/x', 'free/web/y', 'opened/web/for-all', 'opened/web/for-signed-in']
  expect(await catalogOf(stranger.oci)).toEqual(signedIn)
  const own = ['home/web/alpha', 'home/web/zeta', 'given/web/one', 'opened/web/for-me', 'whole/web/a', 'whole/web/b']
  const pullable = [...signedIn, ...own].toSorted()
  expect(await catalogOf(friend.oci)).toEqual(pullable)
  for (const n of [1, 3, 9]) expect(await catalogOf(friend.oci, n)).toEqual(pullable)
  const everything = await catalogOf(oci)
  expect(everything).toEqual(everything.toSorted())
  expect(everything).toEqual(expect.arrayContaining([...pullable, 'given/web/secret']))
  expect(everything).not.toContain('opened/web/hidden')

  await api.registry.updateRepositoryAccessPolicy({ ...publicly, update_mask: 'enabled', body: { enabled: false } })
  const body = { rules: [rule(stranger.id)] }
  await api.registry.updateRepositoryAccessPolicy({ ...mine, update_mask: 'rules', body })
  await api.registry.deletePullGrant({ ...whole.at, id: all.resource_id })
  const ended = new Set(['opened/web/for-all', 'opened/web/for-me', 'whole/web/a', 'whole/web/b'])
  expect(await catalogOf(friend.oci)).toEqual(pullable.filter(name => !ended.has(name)))
  expect(await catalogOf(stranger.oci)).toContain('opened/web/for-me')
  await api.registry.deleteRepositoryAccessPolicy(mine)
  expect(await catalogOf(stranger.oci)).not.toContain('opened/web/for-me')
  expect(await catalogOf(anybody)).toEqual([])
})

it('goes on after a name whose repository is deleted meanwhile', async () => {
  const { api, url } = registry()
  const tenant = await tenantWith('going', 'a', 'b', 'c')
  for (const each of ['a', 'b', 'c']) await tenant.open(each, rule('ALL_USERS'))
  const anybody = new OciClient(url)
  const { next, repositories } = await pageOf(anybody, '/v2/_catalog?n=2')
  expect(repositories).toEqual(['going/web/a', 'going/web/b'])
  await api.registry.deleteRepository({ ...tenant.at, id: tenant.idOf('b') })
  expect(await pageOf(anybody, next ?? '')).toEqual({ repositories: ['going/web/c'], next: undefined })
  expect((await pageOf(anybody, '/v2/_catalog?n=0')).repositories).toEqual([])
})

it('looks at a bounded number of repositories a page, and tells no name of those that are denied', async () => {
  const { place, url } = registry()
  const tenant = await tenantWith('many', 'model', 'z')
  await tenant.open('model', rule('ALL_USERS'), { ...rule('ALL_USERS'), effect: 'REGISTRY_POLICY_EFFECT_DENY' })
  await tenant.open('z', rule('ALL_USERS'))
  const store = await openBeside(place, storeCollections(areas))
  const model = (await store.get(repositoryCollection, tenant.idOf('model')))?.value
  const policy = (await store.find(openingCollection, { repository_id: tenant.idOf('model') }))?.value
  if (!model || !policy) throw new Error('the model has no rows')
  // The copies are opened by the policy of the model, but no rule of their own allows a pull.
  await store.tx(async tx => {
    for (let i = 0; i < 200; i += 1) {
      const [id, name] = [`${model.id}-${i}`, `copy-${i}`]
      const path = `many/web/${name}`
      await tx.insert(repositoryCollection, { ...model, id, name, path })
      await tx.insert(openingCollection, { ...policy, id: `${policy.id}-${i}`, repository_id: id, path })
    }
  })
  await store.close()
  const anybody = new OciClient(url)
  const first = await pageOf(anybody, '/v2/_catalog?n=10&last=many')
  expect(first.repositories).toEqual([])
  expect(first.next).not.toContain('copy')
  expect((await pageOf(anybody, first.next ?? '')).repositories).toEqual(['many/web/z'])
})
