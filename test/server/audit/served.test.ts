import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { testServer } from '../http/harness.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { testToken } from '../access/test-access.ts'

it('a served platform records mutations and refusals with their operation, and no reads', async () => {
  const dataDir = testFolder()
  const { url } = await testServer([sampleArea()], dataDir)
  const authorization = `Bearer ${testToken}`
  const headers = { authorization, 'content-type': 'application/json' }
  const created = await fetch(`${url}/sample/v1/crates`, { method: 'POST', headers, body: '{"name":"box"}' })
  const refused = await fetch(`${url}/sample/v1/unguarded`, { headers })
  const read = await fetch(`${url}/sample/v1/crates`, { headers })
  const unknown = await fetch(`${url}/sample/v1/crates`, { headers: { authorization: 'Bearer nothing' } })
  expect([created, refused, read, unknown].map(({ status }) => status)).toEqual([200, 403, 200, 401])

  const store = await openSqlite({ file: join(dataDir, 'ninefold.sqlite'), collections: [outbox] })
  onTestFinished(() => store.close())
  const rows = []
  for await (const { value } of store.each(outbox)) rows.push(value)
  const operation: { readonly id: string } = JSON.parse(await created.text())
  expect(rows).toMatchObject([
    {
      category: 'ADMIN_WRITE',
      action: 'createCrate',
      permission: 'sample.crates.any',
      operation_id: operation.id,
      request_id: created.headers.get('x-request-id'),
      client_ip: '127.0.0.1',
    },
    {
      category: 'ACCESS_DENIED',
      action: 'getUnguarded',
      scope_type: 'PLATFORM',
      principal_kind: 'USER',
      request_id: refused.headers.get('x-request-id'),
    },
  ])
})

it.each<[string, readonly string[], string]>([
  ['is the address of the peer', [], '127.0.0.1'],
  ['is the address that a trusted proxy names', ['127.0.0.0/8'], '203.0.113.7'],
])('the caller of an activity %s', async (_name, trustedProxies, address) => {
  const dataDir = testFolder()
  const { url } = await testServer([sampleArea()], dataDir, { trustedProxies })
  const authorization = `Bearer ${testToken}`
  const headers = { authorization, 'content-type': 'application/json', 'x-forwarded-for': '10.1.1.1, 203.0.113.7' }
  await fetch(`${url}/sample/v1/crates`, { method: 'POST', headers, body: '{"name":"box"}' })
  const store = await openSqlite({ file: join(dataDir, 'ninefold.sqlite'), collections: [outbox] })
  onTestFinished(() => store.close())
  const rows = []
  for await (const { value } of store.each(outbox)) rows.push(value)
  expect(rows).toMatchObject([{ action: 'createCrate', client_ip: address }])
})

it('activities in the tree name the organisation and the ancestors, even for a deleted node', async () => {
  const dataDir = testFolder()
  const { url } = await testServer([taxonomyArea()], dataDir)
  const token = testToken
  const client = new TaxonomyClient(createTransport({ baseUrl: url, token }))
  const { resource_id: organisation } = await client.createOrganisation({ body: { name: 'acme' } })
  const { resource_id: group } = await client.createGroup({ organisation, body: { name: 'eng' } })
  const { resource_id: team } = await client.createGroup({ organisation, body: { name: 't', parent_group_id: group } })
  const made = await client.createWorkspace({ organisation, body: { name: 'web', parent_group_id: team } })
  const [workspace, below] = [
    { organisation, id: made.resource_id },
    { organisation, id: team },
  ]
  await client.updateOrganisation({ id: organisation, body: { display_name: 'Acme' }, update_mask: 'display_name' })
  await client.updateGroup({ ...below, body: { display_name: 'Team' }, update_mask: 'display_name' })
  await client.updateWorkspace({ ...workspace, body: { display_name: 'Web' }, update_mask: 'display_name' })
  await client.suspendWorkspace({ ...workspace, body: {} })
  await client.moveWorkspace({ ...workspace, body: { parent_group_id: group } })
  await client.moveWorkspace({ ...workspace, body: { parent_group_id: group } })
  await client.moveGroup({ ...below, body: { parent_group_id: '' } })
  await client.archiveWorkspace({ ...workspace, body: {} })
  await client.deleteWorkspace(workspace)
  await client.archiveGroup({ ...below, body: {} })
  await client.deleteGroup(below)
  await client.suspendOrganisation({ id: organisation, body: {} })

  const store = await openSqlite({ file: join(dataDir, 'ninefold.sqlite'), collections: [outbox] })
  onTestFinished(() => store.close())
  const rows = []
  for await (const { value } of store.each(outbox)) rows.push(value)
  const found = rows.map(row => [row.action, row.scope_id, row.organisation_id, row.ancestor_ids])
  const of = (action: string, node: string, ...above: readonly string[]) => [action, node, organisation, above]
  expect(found).toEqual([
    of('createOrganisation', organisation),
    of('createGroup', group, organisation),
    of('createGroup', team, organisation, group),
    of('createWorkspace', workspace.id, organisation, group, team),
    of('updateOrganisation', organisation),
    of('updateGroup', team, organisation, group),
    of('updateWorkspace', workspace.id, organisation, group, team),
    of('suspendWorkspace', workspace.id, organisation, group, team),
    of('moveWorkspace', workspace.id, organisation, group),
    of('moveWorkspace', workspace.id, organisation, group),
    of('moveGroup', team, organisation),
    of('archiveWorkspace', workspace.id, organisation, group),
    of('deleteWorkspace', workspace.id, organisation, group),
    of('archiveGroup', team, organisation),
    of('deleteGroup', team, organisation),
    of('suspendOrganisation', organisation),
  ])
})
