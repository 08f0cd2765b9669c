import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import {
  type Generation,
  generation,
  newFolder,
  removeFolder,
  repository,
  runtimeFrom,
  writeFiles,
} from '../generation.ts'
import { makeProject, typeCheck } from '../type-check.ts'
import { answers, calls, refusals, reported } from './strange.ts'
import { connectedGeneration, documentOf, type Wire } from './wire.ts'

const folder = join(repository, 'test/cases/strange')
const names = readdirSync(folder)
  .map(name => name.replace(/\.yaml$/, ''))
  .sort()
const fileOf = (name: string): string => (existsSync(join(folder, name)) ? `${name}/openapi.yaml` : `${name}.yaml`)

/** A document with names, lists and objects of a size that nobody writes by hand. */
const huge = (): object => {
  const deep = (levels: number): object =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { d: deep(levels - 1) } }
  const parameters = Array.from({ length: 40 }, (_, i) => ({
    name: `p${i}`,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const members = Array.from({ length: 2000 }, (_, i) => [`m${i}`, { type: 'string', maxLength: i }])
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Wide' } } }
  return documentOf(
    {
      [`/${'a'.repeat(300)}`]: { get: { operationId: 'x'.repeat(400), responses: { 204: { description: 'ok' } } } },
      [`/${parameters.map(({ name }) => `{${name}}`).join('/')}`]: {
        post: { parameters, requestBody: { content }, responses: { 204: { description: 'ok' } } },
      },
    },
    {
      Enum: { type: 'string', enum: Array.from({ length: 5000 }, (_, i) => `v${i}`) },
      [`L${'o'.repeat(500)}ng`]: { type: 'object', properties: { ['p'.repeat(600)]: { type: 'integer' } } },
      Wide: { type: 'object', properties: Object.fromEntries(members) },
      Deep: deep(40),
    },
  )
}

const runs = new Map<string, Generation>()
const wires = new Map<string, Promise<Wire>>()
let root = ''

beforeAll(async () => {
  root = newFolder()
  const given = newFolder()
  writeFiles(given, new Map([['huge.json', JSON.stringify(huge())]]))
  for (const name of [...names, 'huge']) {
    const cwd = name === 'huge' ? given : folder
    const run = await generation([name === 'huge' ? 'huge.json' : fileOf(name)], cwd, runtimeFrom(join(root, name)))
    writeFiles(join(root, name), run.files)
    runs.set(name, run)
  }
  removeFolder(given)
}, 60_000)
afterAll(() => removeFolder(root))

const wireOf = (name: string): Promise<Wire> => {
  const known = wires.get(name) ?? connectedGeneration(runs.get(name) ?? never(name), join(root, name))
  wires.set(name, known)
  return known
}

const never = (name: string): never => {
  throw new Error(`there is no document ${name}`)
}

describe('a strange document', () => {
  test.each(names)('%s generates, with exactly these errors and warnings', name => {
    const { diagnostics = [], files } = runs.get(name) ?? never(name)
    const told = diagnostics.filter(({ severity }) => severity !== 'note')
    expect(told.map(({ code, position }) => `${position.line} ${code}`)).toEqual(reported[name] ?? [])
    expect(files.size).toBeGreaterThan(0)
  })

  test.each(names)('%s has the layout of prettier', async name => {
    const options = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
    for (const text of runs.get(name)?.files.values() ?? []) expect(text).toBe(await format(text, options))
  })

  test('has output that every strict flag of TypeScript accepts', () => {
    makeProject(root)
    expect(typeCheck(root)).toBe('')
  }, 120_000)

  test.each(calls)(
    '$file: $operation arrives as sent: $request',
    async ({ file, operation, request, arrives = request }) => {
      const wire = await wireOf(file)
      expect(await wire.call(operation, request)).toEqual(arrives)
      expect(wire.reached.at(-1)).toBe(operation)
    },
  )

  test.each(answers)('$file: $operation answers $answer', async ({ file, operation, request = {}, answer }) => {
    expect(await (await wireOf(file)).answered(operation, request, answer)).toEqual(answer)
  })

  test.each(refusals)('%s: %s refuses %j at %s', async (file, operation, body, field) => {
    const error: unknown = await (await wireOf(file)).call(operation, { body }).catch((thrown: unknown) => thrown)
    expect(error instanceof ApiError && error.details.badRequest?.map(each => each.field)).toEqual([field])
  })
})
