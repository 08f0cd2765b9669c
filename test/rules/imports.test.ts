import { describe, expect, it } from 'vitest'
import { cycles, folderCycles, forbiddenImports } from './imports.ts'
import { lines, ourFolders, readSources } from './source.ts'
import { usesOfNode } from './style.ts'
import { parse } from './syntax.ts'

const ours = readSources(ourFolders, '.ts').map(parse)

describe('the repository', () => {
  it('imports across its folders only as the architecture allows', () => {
    expect(lines(forbiddenImports(ours))).toEqual([])
  })

  it('has no files that import each other in a cycle, types included', () => {
    expect(lines(cycles(ours))).toEqual([])
  })

  it('has no folders that import each other in a cycle, types included', () => {
    // Test folders are excluded, because test folders import each other in every direction.
    const code = ours.filter(({ path }) => !path.startsWith('test/'))
    expect(lines(folderCycles(code))).toEqual([])
  })

  it('uses nothing of Node.js in the runtime, in generated code and in the sign-in of clients', () => {
    const portable = ours.filter(({ path }) => /^(?:client|runtime|output)\//.test(path))
    expect(lines(usesOfNode(portable))).toEqual([])
  })
})

const refused: readonly (readonly [path: string, text: string])[] = [
  ['runtime/json.ts', "import { readFileSync } from 'node:fs'"],
  ['runtime/json.ts', "import type { Store } from '../domain/ports/store.ts'"],
  ['runtime/json.ts', "type Shape = import('typescript').Node"],
  ['generator/main.ts', "import { ApiError } from '../runtime/errors.ts'"],
  ['generator/model/build.ts', "import { load } from '../read/load.ts'"],
  ['generator/model/build.ts', "import { emit } from '../emit/emit.ts'"],
  ['generator/emit/types.ts', "import type { Entry } from '../read/types.ts'"],
  ['generator/emit/types.ts', "import { build } from '../model/build.ts'"],
  ['generator/emit/types.ts', "import SwaggerParser from '@apidevtools/swagger-parser'"],
  ['generator/scaffold/stub.ts', "import { write } from '../write/write.ts'"],
  ['output/taxonomy/types.ts', "import type { Vm } from '../compute/types.ts'"],
  ['output/taxonomy/routes.ts', "import { store } from '../../server/store.ts'"],
  ['output/shared/types.ts', "import type { Quota } from '../taxonomy/types.ts'"],
  ['client/session.ts', "import { readFileSync } from 'node:fs'"],
  ['client/session.ts', "import { keep } from '../cli/session-file.ts'"],
  ['cli/api.ts', "import { store } from '../server/store.ts'"],
  ['server/settings/sources.ts', "import { jsonFault } from '../../cli/json-fault.ts'"],
  ['server/compose.ts', "export type { Harness } from '../test/server/http/harness.ts'"],
  ['text/json-fault.ts', "import { quoted } from '../runtime/refusal.ts'"],
  ['output/client.ts', "import { taxonomy } from '../domain/taxonomy/area.ts'"],
  ['domain/ports/store.ts', "import { ApiError } from '../../runtime/errors.ts'"],
  ['domain/ports/store.ts', "import type { Quota } from '../../output/taxonomy/types.ts'"],
  ['domain/taxonomy/quotas.ts', "import type { Vm } from '../../output/compute/types.ts'"],
  ['domain/taxonomy/quotas.ts', "import { vms } from '../compute/vms.ts'"],
  ['domain/taxonomy/quotas.ts', "import { DatabaseSync } from 'node:sqlite'"],
  ['domain/taxonomy/quotas.ts', "const store = await import('../../server/store/sqlite.ts')"],
  ['domain/resources/operation-records.ts', "export { quotas } from '../taxonomy/quotas.ts'"],
  ['domain/resources/operation-records.ts', "export type { Quota } from '../taxonomy/quotas.ts'"],
  ['domain/ports/store.ts', "export type { Quota } from '../../output/taxonomy/types.ts'"],
  ['docs/example-service/server.ts', "import { bind } from '../../runtime/bind.ts'"],
]

const allowed: readonly (readonly [path: string, text: string])[] = [
  ['runtime/filter/lex.ts', "import { quoted } from '../suggest.ts'"],
  ['generator/model/build.ts', "import type { Entry } from '../read/types.ts'"],
  ['generator/model/build.ts', "import { resolve } from '../read/resolve.ts'"],
  ['generator/emit/types.ts', "import type { Schema } from '../model/types.ts'"],
  ['generator/cli/run.ts', "import { load } from '../read/load.ts'"],
  ['output/taxonomy/types.ts', "import type { Status } from '../shared/types.ts'"],
  ['output/client.ts', "import { TaxonomyClient } from './taxonomy/client.ts'"],
  ['domain/ports/store.ts', "export type { ApiError } from '../../runtime/errors.ts'"],
  ['client/session.ts', "import { refreshToken } from '../output/iam/routes.ts'"],
  ['cli/api.ts', "import { Command } from 'commander'"],
  ['domain/ports/store.ts', "import { type ApiError } from '../../runtime/errors.ts'"],
  ['domain/taxonomy/quotas.ts', "import { operations } from '../resources/operation-records.ts'"],
  ['domain/taxonomy/quotas.ts', "import { quotaNotFound } from '../../output/taxonomy/errors.ts'"],
  ['server/compose.ts', "import { Quotas } from '../domain/taxonomy/quotas.ts'"],
  ['runtime/text.ts', `const text = "import { readFileSync } from 'node:fs'"`],
]

describe('forbiddenImports', () => {
  it.each(refused)('refuses in %s: %s', (path, text) => {
    expect(forbiddenImports([parse({ path, text })])).toHaveLength(1)
  })

  it.each(allowed)('allows in %s: %s', (path, text) => {
    expect(forbiddenImports([parse({ path, text })])).toEqual([])
  })

  it('names the line of the import', () => {
    const text = "import { a } from './a.ts'\nimport { b } from 'b'\n"
    expect(lines(forbiddenImports([parse({ path: 'runtime/c.ts', text })]))).toEqual([
      "runtime/c.ts:2 runtime must not import 'b'",
    ])
  })
})

describe('cycles', () => {
  it('finds a cycle of three files', () => {
    const files = [
      { path: 'server/a.ts', text: "import { b } from './b.ts'" },
      { path: 'server/b.ts', text: "import { c } from './deep/c.ts'" },
      { path: 'server/deep/c.ts', text: "export { a } from '../a.ts'" },
    ].map(parse)
    expect(lines(cycles(files))).toEqual([
      'server/a.ts imports itself: server/a.ts -> server/b.ts -> server/deep/c.ts -> server/a.ts',
    ])
  })

  it.each([
    "export type { A } from './a.ts'",
    "import type { A } from './a.ts'",
    "import { type A } from './a.ts'",
    "type A = import('./a.ts').A",
  ])('counts types: %s', text => {
    const files = [
      { path: 'server/a.ts', text: "import { b } from './b.ts'" },
      { path: 'server/b.ts', text },
    ].map(parse)
    expect(cycles(files)).toHaveLength(1)
  })

  it('finds none if two files share a third', () => {
    const files = [
      { path: 'server/a.ts', text: "import { b } from './b.ts'\nimport { c } from './c.ts'" },
      { path: 'server/b.ts', text: "import { c } from './c.ts'" },
      { path: 'server/c.ts', text: 'export const c = 1' },
    ].map(parse)
    expect(cycles(files)).toEqual([])
  })
})

describe('folderCycles', () => {
  it('finds folders of one parent that import each other, at any depth', () => {
    const files = [
      { path: 'server/store/a.ts', text: "import { b } from '../http/deep/b.ts'" },
      { path: 'server/http/c.ts', text: "import type { A } from '../store/a.ts'" },
    ].map(parse)
    expect(lines(folderCycles(files))).toEqual([
      'server/store imports itself: server/store -> server/http -> server/store',
    ])
  })

  it('lets files of the parent compose its folders and be shared by them', () => {
    const files = [
      { path: 'server/compose.ts', text: "import { a } from './store/a.ts'" },
      { path: 'server/store/a.ts', text: "import type { Log } from '../log.ts'\nimport { b } from './sqlite/b.ts'" },
      { path: 'server/store/sqlite/b.ts', text: "import type { A } from '../a.ts'" },
    ].map(parse)
    expect(folderCycles(files)).toEqual([])
  })
})

describe('usesOfNode', () => {
  it.each([
    "Buffer.from('')",
    'const { env } = process',
    'setImmediate(run)',
    "const fs = require('fs')",
    'let t: NodeJS.Timeout',
  ])('finds %s', text => {
    expect(usesOfNode([parse({ path: 'runtime/a.ts', text })])).toHaveLength(1)
  })

  it.each([
    'body.process()',
    'const states = { process: 1 }',
    "const name = 'Buffer'",
    'interface A { global: string }',
  ])('leaves %s alone', text => {
    expect(usesOfNode([parse({ path: 'runtime/a.ts', text })])).toEqual([])
  })
})
