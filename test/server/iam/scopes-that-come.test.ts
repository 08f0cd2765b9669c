import { expect, it, onTestFinished } from 'vitest'
import { changes, feedCollections } from '../../../domain/iam/collections/feed-store.ts'
import { openBeside } from '../store/left-place.ts'
import { addMember, addTenant, roleAt } from '../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'

/** Returns a function that reads the changes that the feed has recorded since the last call, each as `KIND key`. */
async function changesOf({ config }: TestPlatform) {
  const store = await openBeside(config, feedCollections)
  onTestFinished(() => store.close())
  let last = ''
  return async (): Promise<readonly string[]> => {
    const found: string[] = []
    for await (const { id, value } of store.each(changes, {}, last)) {
      found.push(`${value.kind} ${value.key}`)
      last = id
    }
    return found
  }
}

it('a new scope needs no notice to other servers, except for the role of its creator and its moves', async () => {
  const platform = await testPlatform()
  const ada = await platform.admin()
  const { group, organisation } = await addTenant(ada.api, 'acme')
  const permissions = ['taxonomy.workspaces.create']
  const body = { name: 'maker', scope_type: 'ORGANISATION', scope_id: organisation, permissions } as const
  const { resource_id: role } = await ada.api.iam.createRole({ body })
  const grants = [roleAt(role, 'ORGANISATION', organisation)]
  const kim = await addMember(platform, ada.api, { email: 'kim@acme.example', organisation_id: organisation, grants })

  const changed = await changesOf(platform)
  await changed()
  const { taxonomy } = ada.api
  await taxonomy.createOrganisation({ body: { name: 'umbrella' } })
  await taxonomy.createGroup({ organisation, body: { name: 'g' } })
  const { resource_id: id } = await taxonomy.createWorkspace({ organisation, body: { name: 'w' } })
  expect(await changed()).toEqual([])
  const { resource_id: own } = await kim.api.taxonomy.createWorkspace({ organisation, body: { name: 'own' } })
  expect(await changed()).toEqual([`PRINCIPAL ${kim.id}`])
  await taxonomy.moveWorkspace({ organisation, id, body: { parent_group_id: group } })
  expect(await changed()).toEqual([`SCOPE ${id}`])
  expect(await kim.api.taxonomy.getWorkspace({ organisation, id: own })).toMatchObject({ name: 'own' })
})

it('another server finds a scope as soon as its creator has the response', async () => {
  const one = await testPlatform()
  const ada = await one.admin()
  const { organisation } = await addTenant(ada.api, 'acme')
  const grants = [roleAt('organisation-admin', 'ORGANISATION', organisation)]
  const oz = await addMember(one, ada.api, { email: 'oz@acme.example', organisation_id: organisation, grants })
  const other = (await testPlatform({ config: one.config })).as(oz.token).taxonomy
  for (let i = 0; i < 5; i += 1) {
    const { resource_id: id } = await oz.api.taxonomy.createWorkspace({ organisation, body: { name: `w${i}` } })
    expect(await other.getWorkspace({ organisation, id })).toMatchObject({ name: `w${i}` })
    const { resource_id: group } = await oz.api.taxonomy.createGroup({ organisation, body: { name: `g${i}` } })
    expect(await other.getGroup({ organisation, id: group })).toMatchObject({ name: `g${i}` })
  }
})
