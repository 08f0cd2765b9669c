import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundle } from '../../../server/specs/bundle.ts'
import { testFolder } from '../store/harness.ts'

/** Writes `area.yaml` and `common.yaml` into a new folder; returns the bundle of `area.yaml`. */
function bundled(area: string, common: string): object {
  const folder = testFolder()
  writeFileSync(join(folder, 'area.yaml'), area)
  writeFileSync(join(folder, 'common.yaml'), common)
  return bundle(join(folder, 'area.yaml'))
}

const common = `
components:
  schemas:
    Status: {type: object, properties: {details: {type: array, items: {$ref: '#/components/schemas/Detail'}}}}
    Detail: {type: object, properties: {inner: {$ref: '#/components/schemas/Detail'}}}
    Unused: {type: string}
  responses:
    Error: {description: no, content: {application/json: {schema: {$ref: '#/components/schemas/Status'}}}}
`

describe('a bundled spec', () => {
  it('has all referenced parts of other files under its components, directly or indirectly referenced', () => {
    const area = `
openapi: 3.0.3
paths: {/a: {get: {responses: {'4XX': {$ref: 'common.yaml#/components/responses/Error'}}}}}
components: {schemas: {Own: {$ref: '#/components/schemas/Other'}, Other: {type: integer}}}
`
    expect(bundled(area, common)).toEqual({
      openapi: '3.0.3',
      paths: { '/a': { get: { responses: { '4XX': { $ref: '#/components/responses/Error' } } } } },
      components: {
        schemas: {
          Own: { $ref: '#/components/schemas/Other' },
          Other: { type: 'integer' },
          Status: {
            type: 'object',
            properties: { details: { type: 'array', items: { $ref: '#/components/schemas/Detail' } } },
          },
          Detail: { type: 'object', properties: { inner: { $ref: '#/components/schemas/Detail' } } },
        },
        responses: {
          Error: {
            description: 'no',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
          },
        },
      },
    })
  })

  it('replaces a component that only refers to a component of the same name by its definition', () => {
    const area = `components: {schemas: {Unused: {$ref: 'common.yaml#/components/schemas/Unused'}}}`
    expect(bundled(area, common)).toEqual({ components: { schemas: { Unused: { type: 'string' } } } })
  })

  it.each([
    [
      'one name with two meanings',
      `x: {$ref: 'common.yaml#/components/schemas/Unused'}\ncomponents: {schemas: {Unused: {type: integer}}}`,
      'schemas/Unused',
    ],
    ['a component that is not there', `x: {$ref: 'common.yaml#/components/schemas/Nope'}`, 'no component schemas/Nope'],
    ['a reference to something else', `x: {$ref: 'common.yaml#/info'}`, 'names no component'],
    ['a list instead of a document', `- x`, 'no OpenAPI document'],
  ])('cannot be made of %s', (_name, area, message) => {
    expect(() => bundled(area, common)).toThrow(message)
  })
})
