import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callOver } from '../../../generator/conform/call.ts'
import type { RequestSender } from '../../../generator/conform/call.ts'
import { conform } from '../../../generator/conform/conform.ts'
import { overNode } from '../../runtime/media/hosted.ts'
import { mediaService } from '../../runtime/media/service.ts'
import { generation, repository } from '../generation.ts'

const { model } = await generation(['document.yaml'], join(repository, 'test/golden/media-types'))
const [document] = model?.documents ?? []

async function walk(change: (call: RequestSender) => RequestSender = call => call) {
  if (!document) throw new Error('the document has errors')
  await using hosted = await overNode(mediaService().dispatch)
  const schemas = new Map(document.schemas.map(schema => [schema.id, schema]))
  return await conform(document, schemas, change(callOver(hosted.baseUrl)))
}

test('a server that keeps its forms and streams has only findings about invalid items', async () => {
  const { findings, walked } = await walk()
  expect(findings.map(({ operationId, proof, got }) => `${operationId} ${proof}: ${got}`)).toEqual([
    'exportRows answer: unit is missing',
    'readTicks answer: unit is not declared',
  ])
  expect(walked.filter(({ requests }) => requests < 3)).toEqual([])
})

test.each([
  ['form', /^grant_type=/, 'makeToken', 'ttl'],
  ['multipart form', /^--.*name="title"/s, 'addAlbum', 'photos'],
  ['line', /^\{"n":/, 'importRows', 'body[0].n'],
])('an unchecked %s is found', async (_what, sent, operationId, field) => {
  const lax: (call: RequestSender) => RequestSender = call => async request => {
    const answer = await call(request)
    return sent.test(request.body ?? '') ? { ...answer, status: 200, body: '{}' } : answer
  }
  const { findings } = await walk(lax)
  const found = findings.filter(finding => finding.operationId === operationId && finding.proof === 'refused')
  expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining(field))
})

test('an invalid item of a response is found', async () => {
  const changed: (call: RequestSender) => RequestSender = call => async request => {
    const answer = await call(request)
    return { ...answer, body: answer.body.replaceAll('"n":1', '"n":"1"') }
  }
  const { findings } = await walk(changed)
  const answers = findings.filter(({ proof, got }) => proof === 'answer' && got.includes('n is a string'))
  expect(answers.map(({ operationId }) => operationId)).toEqual(['exportRows', 'readTicks'])
})
