import { join } from 'node:path'
import { DiagnosticList, printed } from '../../generator/diagnostics.ts'
import { build } from '../../generator/model/build.ts'
import type { Document, Model, NamedSchema, Operation, Schema } from '../../generator/model/types.ts'
import { check } from '../../generator/read/check.ts'
import { load } from '../../generator/read/load.ts'
import type { Loaded } from '../../generator/read/types.ts'
import { put, temporaryFolder } from './write/temporary-folder.ts'

/** The result of reading some files. */
export interface Reading {
  readonly loaded: Loaded
  /** The diagnostics as they are printed, errors of loading first. */
  readonly diagnostics: readonly string[]
}

/**
 * Writes files to a new folder, loads and checks the entries, and returns the result. The name of an entry is its file
 * name without the ending.
 */
export async function read(
  files: Readonly<Record<string, string>>,
  entries: readonly string[] = Object.keys(files).slice(0, 1),
  allowRefs = false,
): Promise<Reading> {
  const cwd = temporaryFolder()
  put(cwd, files)
  return readFrom(cwd, entries, allowRefs)
}

/** Loads and checks the entries among existing files; returns the result. */
export async function readFrom(cwd: string, entries: readonly string[], allowRefs = false): Promise<Reading> {
  const named = entries.map(file => ({ name: stem(file), file }))
  const { loaded, diagnostics } = await load(named, { allowRefs, cwd })
  const list = new DiagnosticList()
  check(loaded, list)
  return { loaded, diagnostics: [...diagnostics, ...list.sorted()].map(printed) }
}

const stem = (file: string): string => file.replace(/^.*\//, '').replace(/\.[a-z]+$/, '')

/** Returns an OpenAPI document with these paths and components, which begin in line 3 if there are paths. */
export const document = (rest: string): string =>
  `openapi: 3.0.3\ninfo: {title: t, version: '1'}\n${/^paths:/m.test(rest) ? '' : 'paths: {}\n'}${rest}`

/** Returns the lines and codes of printed diagnostics, for example `7 reference-not-found`. */
export const codesOf = (diagnostics: readonly string[]): readonly string[] =>
  diagnostics.map(text => text.replace(/^[^:]*:(\d+):\d+ \w+ ([a-z-]+): .*$/s, '$1 $2'))

/** The result of a build: the model, and the diagnostics of the build alone. */
export interface Built {
  readonly model: Model
  readonly diagnostics: readonly string[]
}

export function built({ loaded }: Reading): Built {
  const list = new DiagnosticList()
  const model = build(loaded, list)
  return { model, diagnostics: list.sorted().map(printed) }
}

/** Returns the model of a document that has `rest` as its paths and components. */
export async function modelOf(rest: string): Promise<Document> {
  const { model } = built(await read({ 'pets.yaml': document(rest) }))
  const [first] = model.documents
  if (!first) throw new Error('the text was not loaded')
  return first
}

/** Returns a schema by its name; throws if the document has no schema with this name. */
export function schemaNamed({ schemas }: Document, name: string): NamedSchema {
  const found = schemas.find(schema => schema.name === name)
  if (!found) throw new Error(`no schema ${name} in ${schemas.map(schema => schema.name).join(', ')}`)
  return found
}

export function operationNamed({ operations }: Document, id: string): Operation {
  const found = operations.find(operation => operation.id === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}

/** Returns a value as plain data without positions, for comparisons. */
export const bare = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member: unknown) => (name === 'position' ? undefined : member)))

export const bareSchema = (from: Document, name: string): unknown =>
  bare(schemaNamed(from, name).schema satisfies Schema)

/** The folder of the cases that every part of the generator runs. */
export const casesFolder = join(import.meta.dirname, '../cases/openapi')
