import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { document } from '../reading.ts'

const folder = newFolder()
let files: ReadonlyMap<string, string> = new Map()

const service = document(`paths:
  /files/{name}:
    parameters:
      - { name: name, in: path, required: true, schema: { type: string } }
    put:
      operationId: putFile
      tags: [files]
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses:
        '201': { description: New., headers: { Location: { required: true, schema: { type: string } } } }
        '204': { description: Replaced. }
    get:
      operationId: getFile
      tags: [files]
      responses:
        '200':
          description: The file.
          headers:
            ETag: { schema: { type: string } }
            X-Size: { required: true, schema: { $ref: '#/components/schemas/Size' } }
            X-Tags: { schema: { type: array, items: { type: string } } }
          content: { application/octet-stream: {} }
        '304': { description: Not modified. }
    patch:
      operationId: appendFile
      tags: [files]
      parameters:
        - { name: at, in: query, schema: { type: integer, default: 0 } }
      requestBody: { content: { application/octet-stream: {} } }
      responses: { '200': { description: The file., content: { image/*: {} } } }
  /names:
    get:
      operationId: listNames
      tags: [files]
      x-filter: &filter { fields: [{ name: id, type: STRING, sortable: true }], default_order_by: id }
      responses: { '200': { description: Names., content: { application/json: { schema: { $ref: '#/components/schemas/Names' } } } } }
  /notes:
    get:
      operationId: listNotes
      tags: [files]
      x-filter: *filter
      responses: { '200': { description: Notes., content: { application/json: { schema: { $ref: '#/components/schemas/Notes' } } } } }
components:
  schemas:
    Name: { type: object, required: [id], properties: { id: { type: string } } }
    Paged: { type: object, required: [next_page_token], properties: { next_page_token: { type: string } } }
    Names:
      allOf:
        - { $ref: '#/components/schemas/Paged' }
        - type: object
          required: [names, sizes]
          properties:
            names: { type: array, items: { $ref: '#/components/schemas/Name' } }
            sizes: { type: object, additionalProperties: { $ref: '#/components/schemas/Size' } }
            hint: { type: string }
    Notes:
      type: object
      required: [notes, next_page_token]
      properties:
        notes: { type: array, items: { $ref: '#/components/schemas/Name' } }
        next_page_token: { type: string }
        hint: { type: string }
    Size: { type: integer, minimum: 0 }
`)

beforeAll(async () => {
  writeFiles(folder, new Map([['service.yaml', service]]))
  const { files: generated, printed } = await generation(['service.yaml'], folder, runtimeFrom(folder))
  if (printed.length > 0) throw new Error(printed.join('\n'))
  files = generated
})

afterAll(() => removeFolder(folder))

/** Returns a generated file with single spaces, so that line breaks do not matter. */
const flat = (file: string): string => (files.get(`service/${file}.ts`) ?? '').replace(/\s+/g, ' ')

describe('an operation with several responses', () => {
  it('gives the client the types of the declared headers', () => {
    expect(flat('routes')).toContain(
      "success: [{ status: 201, headers: { Location: 'string' } }, { status: 204 }], replies: readReply",
    )
    expect(flat('routes')).toContain("headers: { ETag: 'string', 'X-Size': 'integer', 'X-Tags': { array: 'string' } }")
  })

  it('accepts bytes in any form from its handler, and returns them as a stream to its caller', () => {
    const headers = "{ ETag?: string; 'X-Size': Size; 'X-Tags'?: string[] }"
    expect(flat('handlers')).toContain(`Reply<200, Bytes, ${headers}> | Reply<304>`)
    expect(flat('client')).toContain(`Reply<200, ReadableStream<Uint8Array<ArrayBuffer>>, ${headers}> | Reply<304>`)
  })
})

describe('a list', () => {
  it('requires from its handler the members of its response apart from rows and token', () => {
    expect(flat('handlers')).toMatch(/PageWith<Name, \{ sizes: Record<string, Size>;? hint\?: string;? \}>/)
  })

  it('lets its handler omit them if none is required', () => {
    expect(flat('handlers')).toContain('Promise<Page<Name> | PageWith<Name, { hint?: string }>>')
  })
})

describe('an operation that takes bytes', () => {
  it('accepts them in any form from its caller, and passes them as a stream to its handler', () => {
    expect(flat('types')).toContain('export interface PutFileRequest { name: string body: Bytes }')
    expect(flat('types')).toContain(
      'export interface ParsedPutFileRequest extends PutFileRequest { body: ReadableStream<Uint8Array<ArrayBuffer>> }',
    )
    expect(flat('handlers')).toContain('putFile( request: ParsedPutFileRequest,')
  })

  it('completes the defaults of its parameters in the same type', () => {
    expect(flat('types')).toContain(
      'export interface ParsedAppendFileRequest extends AppendFileRequest { at: number body?: ReadableStream<Uint8Array<ArrayBuffer>> }',
    )
  })
})
