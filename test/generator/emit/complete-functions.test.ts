import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { document } from '../reading.ts'

type Complete = (value: unknown) => unknown

const folder = newFolder()
const functions = new Map<string, Complete>()

beforeAll(async () => {
  writeFiles(folder, new Map([['pets.yaml', pets]]))
  const { files, printed } = await generation(['pets.yaml'], folder, runtimeFrom(folder))
  if (printed.length > 0) throw new Error(printed.join('\n'))
  writeFiles(folder, files)
  const module: object = await import(pathToFileURL(join(folder, 'pets/validators.ts')).href)
  for (const [name, value] of Object.entries(module)) if (name.startsWith('complete')) functions.set(name, value)
})

afterAll(() => removeFolder(folder))

const pets = document(`paths:
  /pets:
    get:
      operationId: listPets
      x-filter: { fields: [{ name: name, type: STRING, sortable: true }], default_order_by: name }
      parameters:
        - { name: page_size, in: query, schema: { type: integer, default: 20 } }
        - { name: order_by, in: query, schema: { type: string, default: name } }
        - { name: view, in: query, schema: { type: string, default: BASIC } }
        - { name: filter, in: header, schema: { type: string, default: all } }
      responses:
        '200':
          description: Pets.
          content:
            application/json:
              schema:
                type: object
                properties:
                  pets: { type: array, items: { $ref: '#/components/schemas/Animal' } }
                  next_page_token: { type: string }
    post:
      operationId: addPet
      parameters:
        - { name: loud, in: query, schema: { type: boolean, default: false } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '204': { description: Added. } }
  /tags:
    post:
      operationId: addTag
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                id: { type: string, readOnly: true }
                text: { type: string, default: none }
      responses: { '204': { description: Added. } }
components:
  schemas:
    Collar:
      type: object
      properties:
        serial: { type: string, readOnly: true }
        colour: { type: string, default: red }
    Animal:
      type: object
      required: [name]
      properties:
        name: { type: string }
        born: { type: string, readOnly: true }
        both: { type: string, readOnly: true }
        legs: { type: integer, default: 4 }
        collar: { $ref: '#/components/schemas/Collar' }
    Named:
      allOf:
        - { $ref: '#/components/schemas/Animal' }
        - type: object
          properties:
            nickname: { type: string, nullable: true, default: none }
            motto: { type: string, nullable: true, default: null }
    Pet:
      description: Of two levels.
      allOf:
        - { $ref: '#/components/schemas/Named' }
        - type: object
          properties:
            id: { type: string, readOnly: true }
            both: { type: string }
            collars: { type: array, items: { $ref: '#/components/schemas/Collar' } }
`)

function completed(name: string, value: unknown): unknown {
  const complete = functions.get(name)
  if (!complete) throw new Error(`no function ${name} in ${[...functions.keys()].join(', ')}`)
  return complete(value)
}

describe('completing a value', () => {
  const filled = { legs: 4, nickname: 'none', motto: null }

  it('adds the defaults of every branch of an allOf', () => {
    expect(completed('completePetInput', { name: 'Rex' })).toEqual({ name: 'Rex', ...filled })
  })

  it('drops members that only the server sets, whichever branch declares them', () => {
    expect(completed('completePetInput', { name: 'Rex', id: 'forged', born: 'forged' })).toEqual({
      name: 'Rex',
      ...filled,
    })
  })

  it('keeps members that one branch lets callers send', () => {
    expect(completed('completePetInput', { name: 'Rex', both: 'sent' })).toMatchObject({ both: 'sent' })
  })

  it('completes inner values, whatever other branches exist', () => {
    const sent = { name: 'Rex', collar: { serial: 'forged' }, collars: [{ serial: 'forged', colour: 'blue' }, {}] }
    expect(completed('completePetInput', sent)).toEqual({
      name: 'Rex',
      ...filled,
      collar: { colour: 'red' },
      collars: [{ colour: 'blue' }, { colour: 'red' }],
    })
  })

  it('treats null as a value if it may be sent', () => {
    expect(completed('completePetInput', { name: 'Rex', nickname: null })).toMatchObject({ nickname: null })
  })

  it('keeps members of other names as they are', () => {
    const sent: unknown = JSON.parse('{"name": "Rex", "__proto__": {"legs": 3}, "further": 1}')
    const result = completed('completePetInput', sent)
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ name: 'Rex', legs: 4, further: 1 })
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })

  it('applies to parameters and to a body without a name', () => {
    expect(completed('completeAddPetRequest', { body: { name: 'Rex' } })).toEqual({
      loud: false,
      body: { name: 'Rex', ...filled },
    })
    expect(completed('completeAddTagRequest', { body: { id: 'forged' } })).toEqual({ body: { text: 'none' } })
  })

  it('skips the parameters of every list, which its handler gets parsed, and completes its own parameters', () => {
    expect(completed('completeListPetsRequest', {})).toEqual({ view: 'BASIC', filter: 'all' })
  })
})
