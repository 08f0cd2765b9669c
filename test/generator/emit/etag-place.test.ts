import { expect, it, onTestFinished } from 'vitest'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { document } from '../reading.ts'

const etags = {
  Plain: '{ type: string }',
  Compared: '{ type: string, x-precondition: true }',
  OfContent: '{ type: string, readOnly: true, x-content-etag: true }',
}

const pathOf = (name: string): string => `  /${name}:
    get:
      operationId: get${name}
      tags: [things]
      x-mode: data
      responses:
        '200': { description: A thing., content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } } }`

const schemaOf = ([name, etag]: readonly [string, string]): string =>
  `    ${name}: { type: object, required: [etag], properties: { etag: ${etag} } }`

const service = document(`paths:
${Object.keys(etags).map(pathOf).join('\n')}
components:
  schemas:
${Object.entries(etags).map(schemaOf).join('\n')}
`)

it('the etag of a response is its header, unless the etag is that of content', async () => {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  writeFiles(folder, new Map([['service.yaml', service]]))
  const { files, printed } = await generation(['service.yaml'], folder, runtimeFrom(folder))
  expect(printed).toEqual([])
  const bound = (files.get('service/routes.ts') ?? '').split('  bind(').slice(1)
  const namesOf = (each: readonly string[]) => each.map(route => /^\w+/.exec(route)?.[0])
  expect(namesOf(bound)).toEqual(['getPlain', 'getCompared', 'getOfContent'])
  expect(namesOf(bound.filter(route => route.includes("etag: 'answer'")))).toEqual(['getPlain', 'getCompared'])
})
