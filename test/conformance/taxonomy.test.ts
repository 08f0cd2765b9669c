import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOver, type Call } from '../../generator/conform/call.ts'
import { conform } from '../../generator/conform/conform.ts'
import type { Existing } from '../../generator/conform/subject.ts'
import { printReport } from '../../generator/conform/report.ts'
import { modelOf } from './model.ts'
import { startPlatform, type StartedPlatform } from './platform.ts'

const { common, document, schemas } = await modelOf('taxonomy')

let platform: StartedPlatform
let call: Call

beforeAll(async () => {
  platform = await startPlatform()
  call = callOver(platform.baseUrl)
})

afterAll(async () => platform.stop())

/** Sends a body as the administrator, and answers the id of what it made. */
async function make(target: string, body: object): Promise<{ readonly id: string; readonly resource_id: string }> {
  const headers = { authorization: platform.authorization, 'content-type': 'application/json' }
  const answer = await call({ method: 'POST', target, headers, body: JSON.stringify(body) })
  expect(answer).toMatchObject({ status: 200 })
  return JSON.parse(answer.body)
}

/** An organisation with an override of `compute.vcpus`. */
async function makeTree(name: string) {
  const organisation = await make('/taxonomy/v1/organisations', { name })
  const override = await make('/taxonomy/v1/quotas/compute.vcpus/overrides', {
    scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION',
    scope_id: organisation.resource_id,
    limit: 4,
  })
  return { operation: organisation.id, organisation: organisation.resource_id, override: override.resource_id }
}

/** Things that exist, as the calls of an operation name them. */
async function existingFor(path: string, operationId: string): Promise<Existing> {
  // The slice has no verb that archives an organisation, and no other one may be deleted.
  if (operationId === 'deleteOrganisation') return {}
  const name = operationId.toLowerCase()
  await makeTree(`${name}-one`)
  const { operation, organisation, override } = await makeTree(`${name}-two`)
  if (operationId === 'createOrganisation') return { body: { name: `${name}-three` } }
  if (operationId === 'createQuotaOverride') {
    const { resource_id } = await make('/taxonomy/v1/organisations', { name: `${name}-three` })
    return { path: { quota: 'compute.vcpus' }, body: { scope_id: resource_id } }
  }
  if (path.includes('/overrides')) return { path: { quota: 'compute.vcpus', id: override } }
  if (path.includes('/quotas/')) return { path: { id: 'compute.vcpus' } }
  if (path.includes('/operations/')) return { path: { id: operation } }
  return { path: path.includes('/filterSchemas/') ? { resource: 'quotaOverrides' } : { id: organisation } }
}

describe.each(document.operations)('$id', ({ id, path }) => {
  test('is served as specs/taxonomy.yaml says', async () => {
    const existing = await existingFor(path, id)
    const options = { authorization: platform.authorization, common, platform: true, existing }
    const report = await conform(document, schemas, call, { ...options, operations: [id] })
    expect(printReport(report)).toMatch(/^0 findings, 1 operation, \d+ requests$/)
  })
})

test('every operation of the document is walked when none is named', async () => {
  const { walked } = await conform(document, schemas, call, { authorization: platform.authorization, limit: 1 })
  const operationIds = Object.values(document.groups).flatMap(({ operations }) => operations.map(({ id }) => id))
  expect(walked.map(({ operationId }) => operationId).toSorted()).toEqual(operationIds.toSorted())
  expect(walked.every(({ requests }) => requests === 1)).toBe(true)
})
