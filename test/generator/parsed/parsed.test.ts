import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseRuns, casesFolder } from '../cases/documents.ts'
import {
  type Generation,
  generation,
  newFolder,
  plainOptions,
  removeFolder,
  repository,
  writeFiles,
} from '../generation.ts'
import { anyDocuments, free } from '../hostile/any-texts.ts'
import { collidingDocuments, collidingTexts } from '../hostile/colliding.ts'
import { documentOf } from '../hostile/document.ts'
import { hostileTexts } from '../hostile/texts.ts'
import { differences } from './compared.ts'

let folder: string
beforeAll(() => void (folder = newFolder()))
afterAll(() => removeFolder(folder))

/** Returns the differences between the output of a run and the model of its documents, which must have no errors. */
function differencesOf({ files, model, printed }: Generation): readonly string[] {
  if (!model) throw new Error(printed.join('\n'))
  return differences(model, files)
}

async function generated(document: object): Promise<Generation> {
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document))
  return generation(['api.json'], folder)
}

/** The runs over the documents of `test/cases/openapi` that have no errors. */
const valid = caseRuns.filter(({ name }) => !/^(duplicate-operation-ids|invalid-)/.test(name))

describe('the parsed output of hostile documents equals their model', () => {
  test.each(Object.keys(collidingDocuments))('%s', async title => {
    const texts = collidingTexts(title)
    writeFiles(folder, new Map(Object.entries(texts)))
    const run = await generation(Object.keys(texts), folder)
    expect(differencesOf(run)).toEqual([])
  })

  test.each(hostileTexts.map(text => [text]))('%j at every position', async text => {
    const run = await generated(documentOf(Object.fromEntries(free.map(position => [position, text]))))
    expect(differencesOf(run)).toEqual([])
  })

  test('any texts', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocuments, async texts => {
        const run = await generated(documentOf(texts))
        expect(differencesOf(run)).toEqual([])
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})

describe('the parsed output of the documents in test/cases equals their model', () => {
  test.each(valid)('$name', async ({ files }) => {
    expect(differencesOf(await generation(files, casesFolder))).toEqual([])
  })
})

describe('the parsed output of the platform', () => {
  let platform: Generation
  beforeAll(async () => {
    const specs = readdirSync(join(repository, 'specs')).filter(name => name.endsWith('.yaml'))
    const files = specs.map(name => `specs/${name}`)
    platform = await generation(files, repository, plainOptions, ['common=shared'])
  }, 60_000)

  /** Returns the differences after one file has another text, or is missing if `text` is undefined. */
  const tampered = (path: string, text: string | undefined): readonly string[] => {
    const { files, model } = platform
    const others = [...files].filter(([each]) => each !== path)
    const changed = new Map(text === undefined ? others : [...others, [path, text]])
    return model ? differences(model, changed, 'taxonomy') : []
  }

  test('equals its model, file by file', () => {
    expect(platform.model?.documents.length).toBeGreaterThanOrEqual(9)
    expect(differencesOf(platform)).toEqual([])
    const areas = platform.model?.documents.filter(({ operations }) => operations.length > 0) ?? []
    expect(areas.filter(({ name }) => !platform.files.has(`${name}/area.ts`))).toEqual([])
  }, 60_000)

  test.each([
    ['types.ts', 'a member', /^ {2}etag\??: string\n/m, ''],
    ['types.ts', 'the optional members', /\?: string\n/, ': string\n'],
    ['types.ts', 'a name', 'export interface Organisation ', 'export interface Organization '],
    ['types.ts', 'a kind', 'export interface Group {', 'export type Group = {'],
    ['types.ts', 'a value of an enum', /^ {2}'TAXONOMY_OPERATION_TYPE_MOVE',\n/m, ''],
    ['validators.ts', 'a check', 'export function checkQuota(', 'function checkQuota('],
    ['validators.ts', 'a parameter', 'checkQuota(value: unknown, faults: Faults)', 'checkQuota(value: unknown)'],
    ['validators.ts', 'a field of updates', /^ {2}etag: \{.*\n/m, ''],
    ['handlers.ts', 'a method', /^ {2}getQuota\(.*\n/m, ''],
    ['handlers.ts', 'a group', /^ {2}readonly quotas: .*\n/m, ''],
    ['routes.ts', 'a method', `method: 'PATCH'`, `method: 'PUT'`],
    ['routes.ts', 'a path', `'/taxonomy/v1/quotas/'`, `'/taxonomy/v2/quotas/'`],
    ['routes.ts', 'a place', `in: 'query'`, `in: 'header'`],
    ['routes.ts', 'a status', 'status: 200', 'status: 201'],
    ['routes.ts', 'the bound routes', 'bind(getQuota,', 'bind(getGroup,'],
    ['errors.ts', 'a reason', `  | 'GROUP_NOT_EMPTY'\n`, ''],
    ['errors.ts', 'a code', '7001001', '7001000'],
    ['errors.ts', 'a parameter', `(message: string, details: DetailsWith<'resource'>)`, '(message: string)'],
    ['client.ts', 'a method', /^ {2}getQuota\(/m, '  getQuotum('],
    ['filters.ts', 'a field', `name: 'resource_id'`, `name: 'resource'`],
    ['filters.ts', 'an order', /^ {2}defaultOrder: '/m, `  defaultOrder: '-`],
    ['permissions.ts', 'a key', `key: 'taxonomy.groups.get'`, `key: 'taxonomy.groups.read'`],
    ['area.ts', 'a member', /^ {2}filters: .*\n/m, ''],
    ['area.ts', 'a type of resource', /^ {2}\| 'taxonomy.quotas'\n/m, ''],
    ['others.ts', 'a file', /$/, 'export const more = 1\n'],
  ])('differs from an output whose %s has lost or changed %s', (file, _, found, other) => {
    const path = `taxonomy/${file}`
    const before = platform.files.get(path) ?? ''
    const after = before.replace(found, other)
    expect(after).not.toBe(before)
    const lines = tampered(path, after)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(line => !line.startsWith(`${path}: `))).toEqual([])
  })

  test('differs from an output whose check reads another member', () => {
    const path = 'taxonomy/validators.ts'
    const text = platform.files.get(path)?.replaceAll('display_name', 'name')
    expect(tampered(path, text)).toContain(`${path}: checkGroup does not look at "display_name"`)
  })

  test('differs from an output in another order, and from an output without a file', () => {
    const path = 'taxonomy/errors.ts'
    const [head = '', ...parts] = (platform.files.get(path) ?? '').split('\n/** ')
    const swapped = [head, ...parts.toReversed()].join('\n/** ')
    expect(tampered(path, swapped)).toEqual([`${path}: declarations are in another order`])
    expect(tampered(path, undefined).length).toBeGreaterThan(0)
  })
})
