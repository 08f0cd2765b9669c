import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../server/areas.ts'
import { composePlatform, type ComposedPlatform } from '../conformance/platform.ts'
import { callTo } from '../conformance/in-process.ts'

const names = areas.map(({ domain }) => domain.name)

let platform: ComposedPlatform
beforeAll(async () => void (platform = await composePlatform()))
afterAll(async () => platform.close())

const get = (target: string) =>
  callTo(platform.dispatch)({ method: 'GET', target, headers: { authorization: platform.authorization } })

describe('the platform', () => {
  it('has an area for each document', () => {
    const files = readdirSync(join(import.meta.dirname, '../../specs'), 'utf8')
    const documents = files.filter(file => file.endsWith('.yaml') && file !== 'common.yaml')
    expect(documents.toSorted()).toEqual(names.map(name => `${name}.yaml`).toSorted())
  })

  it('has a proof of the document of each area', () => {
    const files = readdirSync(join(import.meta.dirname, '../conformance'), { encoding: 'utf8', recursive: true })
    // The folder of a proof determines the stores on which the proof runs.
    const proofs = files.map(file => basename(file))
    expect(proofs).toEqual(expect.arrayContaining(names.map(name => `${name}.test.ts`)))
  })

  it.each(names)('serves the document of %s', async name => {
    const { status, body } = await get(`/openapi/${name}.json`)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ openapi: '3.0.3', 'x-errors': {}, components: {} })
  })

  it.each(names)('lists the filter schemas of %s, and returns each of them', async name => {
    const { status, body } = await get(`/${name}/v1/filterSchemas`)
    expect(status).toBe(200)
    const { filter_schemas: schemas }: { filter_schemas: { resource: string }[] } = JSON.parse(body)
    expect(schemas.map(({ resource }) => resource)).toContain('operations')
    for (const schema of schemas) {
      expect(JSON.parse((await get(`/${name}/v1/filterSchemas/${schema.resource}`)).body)).toEqual(schema)
    }
  })

  it.each(names)('lists the operations of %s, and finds none by an unknown id', async name => {
    const { body, status } = await get(`/${name}/v1/operations`)
    const { operations }: { operations: object[] } = JSON.parse(body)
    // The bootstrap of the platform records an iam operation that creates the first administrator.
    expect([status, operations.length > 0]).toEqual([200, name === 'iam'])
    const missing = await get(`/${name}/v1/operations/0199c5a0-0c11-7d84-b6a9-2f3e4d5c6b70`)
    expect(missing.status).toBe(404)
    expect(JSON.parse(missing.body)).toMatchObject({ details: [{ reason: 'OPERATION_NOT_FOUND', domain: name }, {}] })
  })

  it.each(names)('forbids caches for the responses of %s that may contain secrets', async name => {
    const { headers } = await get(`/${name}/v1/operations`)
    expect(headers['cache-control']).toBe(['iam', 'vault'].includes(name) ? 'no-store' : undefined)
  })
})
