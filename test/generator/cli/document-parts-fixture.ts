import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Four documents of one run, keyed by file name: three areas that refer to a common document. */
export const documents: Readonly<Record<string, string>> = {
  'common.yaml': `openapi: 3.0.3
info: { title: Common, version: '1' }
paths: {}
x-errors:
  NOT_FOUND: { code: 5, rpc: NOT_FOUND, description: Nothing is there. }
components:
  schemas:
    Size: { type: string, enum: [SIZE_UNSPECIFIED, SMALL, LARGE], x-unspecified: SIZE_UNSPECIFIED }
    Problem:
      type: object
      required: [code]
      properties:
        code: { type: integer }
        id: { type: string, readOnly: true }
        size: { $ref: '#/components/schemas/Size' }
        note: { type: string, default: none }
        origin: { type: object, properties: { host: { type: string } } }
`,
  ...Object.fromEntries(['pets', 'shops', 'toys'].map(area => [`${area}.yaml`, areaDocument(area)])),
}

function areaDocument(area: string): string {
  const name = `${area[0]?.toUpperCase()}${area.slice(1, -1)}`
  return `openapi: 3.0.3
info: { title: ${name}s, version: '1' }
x-errors:
  ${name.toUpperCase()}_GONE: { code: ${area.length}001001, rpc: NOT_FOUND, description: It is gone. }
paths:
  /${area}:
    get:
      operationId: list${name}s
      tags: [${area}]
      x-access: { kind: permission, key: ${area}.list, class: READ, scope: platform }
      x-raises: [NOT_FOUND]
      x-filter: { schema: ${area}, fields: [{ name: size, type: ENUM, enum: Size }], default_order_by: '' }
      responses:
        '200':
          description: A page.
          content:
            application/json:
              schema:
                type: object
                properties:
                  ${area}: { type: array, items: { $ref: '#/components/schemas/${name}' } }
                  next_page_token: { type: string }
        default: { description: A problem., content: { application/json: { schema: { $ref: 'common.yaml#/components/schemas/Problem' } } } }
components:
  schemas:
    ${name}:
      type: object
      x-resource: { type: ${area}.${area}, plural: ${area} }
      properties:
        name: { type: string, maxLength: 40 }
        size: { $ref: 'common.yaml#/components/schemas/Size' }
`
}

/** Returns a further operation for the paths of pets; `schema` is the path of the schema of its body. */
export const createPet = (schema: string, more = ''): string => `    post:
      operationId: createPet
      tags: [pets]
      x-access: { kind: permission, key: pets.create, class: WRITE, scope: platform }
${more}      requestBody: { required: true, content: { application/json: { schema: { $ref: '${schema}' } } } }
      responses:
        '204': { description: It is made. }
`

/** Returns the texts of the files below a folder, keyed by path, without the files in `node_modules`. */
export function filesOf(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = entries.map(({ name, parentPath }) => join(parentPath, name).slice(root.length + 1))
  const ours = paths.filter(path => !path.startsWith('node_modules')).sort()
  return Object.fromEntries(ours.map(path => [path, readFileSync(join(root, path), 'utf8')]))
}
