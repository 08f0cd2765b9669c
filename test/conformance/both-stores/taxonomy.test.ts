import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOver, type RequestSender } from '../../../generator/conform/call.ts'
import { conform } from '../../../generator/conform/conform.ts'
import type { Existing } from '../../../generator/conform/subject.ts'
import { printConformance } from '../../../generator/conform/report.ts'
import { modelOf } from '../model.ts'
import { startPlatform, type StartedPlatform } from '../platform.ts'

const { common, document, schemas } = await modelOf('taxonomy')

let platform: StartedPlatform
let call: RequestSender

beforeAll(async () => {
  platform = await startPlatform()
  call = callOver(platform.baseUrl)
})

afterAll(async () => platform.stop())

/** Sends a body as the administrator, and returns the ids of the operation and of the created resource. */
async function make(target: string, body: object): Promise<{ readonly id: string; readonly resource_id: string }> {
  const headers = { authorization: platform.authorization, 'content-type': 'application/json' }
  const answer = await call({ method: 'POST', target, headers, body: JSON.stringify(body) })
  expect(answer).toMatchObject({ status: 200 })
  return JSON.parse(answer.body)
}

/**
 * Creates an organisation, a group and a workspace, and an override of `compute.vcpus` at the organisation; returns the
 * ids.
 */
async function makeTree(name: string) {
  const operation = await make('/taxonomy/v1/organisations', { name })
  const organisation = operation.resource_id
  const group = await make(`/taxonomy/v1/organisations/${organisation}/groups`, { name: 'group' })
  const workspace = await make(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name: 'workspace' })
  const override = await make('/taxonomy/v1/quotas/compute.vcpus/overrides', {
    scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION',
    scope_id: organisation,
    limit: 4,
  })
  const ids = { groups: group.resource_id, workspaces: workspace.resource_id, organisations: organisation }
  return { operation: operation.id, organisation, ids, override: override.resource_id }
}

type Tree = Awaited<ReturnType<typeof makeTree>>

/** The verb that brings a node into the state that a later verb needs, keyed by the later verb. */
const before: Readonly<Record<string, string>> = { resume: 'suspend', restore: 'archive', delete: 'archive' }

/** Creates the resources that the path of an operation names; returns their path parameters. */
async function existingFor(path: string, operationId: string): Promise<Existing> {
  const name = operationId.toLowerCase()
  await makeTree(`${name}-one`)
  const tree = await makeTree(`${name}-two`)
  const [, quota = '', tail = ''] = /^\/taxonomy\/v1\/(quotas|operations|filterSchemas)(.*)$/.exec(path) ?? []
  if (quota === 'operations') return tail === '' ? {} : { path: { id: tree.operation } }
  if (quota === 'filterSchemas') return tail === '' ? {} : { path: { resource: 'quotaOverrides' } }
  if (quota === 'quotas') return existingQuota(tail, operationId, tree)
  return existingNode(path, operationId, tree)
}

async function existingQuota(tail: string, operationId: string, { override, ids }: Tree): Promise<Existing> {
  if (operationId === 'createQuotaOverride') {
    const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: ids.groups }
    return { path: { quota: 'compute.vcpus' }, body: scope }
  }
  if (tail.includes('/overrides')) return { path: { quota: 'compute.vcpus', id: override } }
  return { path: { id: 'compute.vcpus' } }
}

async function existingNode(path: string, operationId: string, { organisation, ids }: Tree): Promise<Existing> {
  if (operationId === 'getEffectiveQuota') {
    return { path: { organisation, id: 'compute.vcpus' } }
  }
  const collection = /(organisations|groups|workspaces)(?:\/\{id\}|$)/.exec(path)?.[1]
  if (collection !== 'organisations' && collection !== 'groups' && collection !== 'workspaces') return {}
  const id = ids[collection]
  const [verb = ''] = /^[a-z]+/.exec(operationId) ?? []
  const base = collection === 'organisations' ? '' : `/${organisation}/${collection}`
  if (operationId === 'deleteOrganisation') await empty(organisation, ids)
  const earlier = before[verb]
  if (earlier !== undefined) await make(`/taxonomy/v1/organisations${base}/${id}:${earlier}`, {})
  const parent = verb === 'create' && collection !== 'organisations' ? { body: { parent_group_id: ids.groups } } : {}
  const target = verb === 'move' ? { body: { parent_group_id: '' } } : parent
  return { path: collection === 'organisations' ? { id } : { organisation, id }, ...target }
}

/** Archives and deletes the group and the workspace of an organisation. */
async function empty(organisation: string, ids: Tree['ids']): Promise<void> {
  const headers = { authorization: platform.authorization }
  for (const kind of ['groups', 'workspaces'] as const) {
    const target = `/taxonomy/v1/organisations/${organisation}/${kind}/${ids[kind]}`
    await make(`${target}:archive`, {})
    expect(await call({ method: 'DELETE', target, headers })).toMatchObject({ status: 200 })
  }
}

describe.each(document.operations)('$id', ({ id, path }) => {
  test('is served as specs/taxonomy.yaml declares', async () => {
    const existing = await existingFor(path, id)
    const options = { authorization: platform.authorization, common, platform: true, existing }
    const report = await conform(document, schemas, call, { ...options, operations: [id] })
    expect(printConformance(report)).toMatch(/^0 findings, 1 operation, \d+ requests$/)
  })
})

test('without a name, every operation of the document is walked', async () => {
  const { walked } = await conform(document, schemas, call, { authorization: platform.authorization, limit: 1 })
  const operationIds = Object.values(document.groups).flatMap(({ operations }) => operations.map(({ id }) => id))
  expect(walked.map(({ operationId }) => operationId).toSorted()).toEqual(operationIds.toSorted())
  expect(walked.every(({ requests }) => requests === 1)).toBe(true)
})
