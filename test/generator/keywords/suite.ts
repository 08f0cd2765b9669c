import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Diagnostic } from '../../../generator/diagnostics.ts'
import { type Check, Faults } from '../../../runtime/validation.ts'
import { generation, runtimeFrom, writeFiles } from '../generation.ts'

/** A schema with values that fit it or do not, in the form of the JSON-Schema-Test-Suite. */
export interface Group {
  readonly description: string
  readonly schema: unknown
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** The judgement of the generator about a group. */
export interface Verdict {
  readonly description: string
  /** The diagnostics about the schema, without those that tell of no lost keyword. */
  readonly reports: readonly string[]
  /** The descriptions of the values that the generated check judges wrongly; empty if the schema does not generate. */
  readonly wrong: readonly string[]
  readonly generates: boolean
}

/** The codes of diagnostics about schemas whose keywords all count. */
const harmless: ReadonlySet<string> = new Set([
  'type-missing',
  'items-missing',
  'branches-overlap',
  'branch-unmeetable',
  'bounds-crossed',
  'pattern-not-unicode',
  'name-changed',
  'enum-null',
])

/** Returns the groups of a folder of the suite, keyed by file name without ending, sorted by name. */
export function groupsIn(folder: string): ReadonlyMap<string, readonly Group[]> {
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  return new Map(files.sort().map(name => [name.slice(0, -5), JSON.parse(readFileSync(join(folder, name), 'utf8'))]))
}

/**
 * Generates a document of a version whose operations take the schemas of the groups as bodies, and judges the values by
 * the generated checks. The schema of a group is a file of its own, because `#` refers to the root of a file. Schemas
 * with an error are left out. The files are written into `folder`, which the caller deletes.
 */
export async function judged(version: string, groups: readonly Group[], folder: string): Promise<readonly Verdict[]> {
  groups.forEach(({ schema }, i) => writeFiles(folder, new Map([[fileOf(i), JSON.stringify(schema)]])))
  const all = groups.map((_, i) => i)
  const first = await generated(version, groups, all, folder)
  const reports = groups.map((_, i) => about(i, first.diagnostics))
  const kept = all.filter(i => !reports[i]?.some(({ severity }) => severity === 'error'))
  const { files } = kept.length < all.length ? await generated(version, groups, kept, folder) : first
  writeFiles(join(folder, 'out'), files)
  const path = [...files.keys()].find(name => name.endsWith('validators.ts'))
  const checks: Readonly<Record<string, Check>> = path
    ? await import(pathToFileURL(join(folder, 'out', path)).href)
    : {}
  return groups.map(({ description, tests }, i) => {
    const check = checks[`checkPost${i}Request`]
    const wrong = tests.filter(({ data, valid }) => check && check({ body: data }, new Faults()) !== valid)
    return {
      description,
      reports: (reports[i] ?? []).filter(({ code }) => !harmless.has(code)).map(({ code }) => code),
      wrong: wrong.map(test => test.description),
      generates: kept.includes(i) && check !== undefined,
    }
  })
}

const fileOf = (i: number): string => `group-${i}.json`

const about = (i: number, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.filter(({ position }) => position.file === fileOf(i))

async function generated(
  version: string,
  groups: readonly Group[],
  kept: readonly number[],
  folder: string,
): ReturnType<typeof generation> {
  const isFile = (i: number): boolean => typeof groups[i]?.schema === 'object'
  const paths = kept.map(i => {
    const schema = isFile(i) ? { $ref: fileOf(i) } : groups[i]?.schema
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    return [`/${i}`, { post: { operationId: `post${i}`, requestBody, responses: { 204: { description: 'none' } } } }]
  })
  const document = { openapi: version, info: { title: 'suite', version: '1' }, paths: Object.fromEntries(paths) }
  writeFiles(folder, new Map([['suite.json', JSON.stringify(document)]]))
  return await generation(['suite.json'], folder, runtimeFrom(join(folder, 'out')))
}
