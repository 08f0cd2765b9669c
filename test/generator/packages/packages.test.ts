import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, repository, runtimeFrom, writeFiles } from '../generation.ts'
import { connectedGeneration } from '../cases/wire.ts'
import { typeCheck } from '../type-check.ts'
import { roundTrip } from './round-trip.ts'
import { fetched, type PackageDocument, packageDocuments, writeManyFiles } from './sources.ts'

const folder = process.env['NINEFOLD_PACKAGES']
const isAsked = folder !== undefined && folder !== ''
const rows: string[] = []

if (!isAsked) {
  console.warn('SKIPPED: the documents of npm packages; set NINEFOLD_PACKAGES to a folder for their files to test them')
}

const cells = (...of: readonly (string | number)[]): string =>
  of.map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(11))).join('')

/** Generates a document, type-checks the output, and sends every example from the client to the server. */
async function prove(
  { file, impossible = [], name, refused }: Omit<PackageDocument, 'from'>,
  cwd: string,
): Promise<void> {
  const root = newFolder()
  try {
    const before = process.cpuUsage()
    const made = await generation([file], cwd, runtimeFrom(root), [`${file}=doc`])
    const { user, system } = process.cpuUsage(before)
    const errors = made.printed.filter(line => line.includes(' error '))
    if (refused !== undefined) {
      rows.push(`${cells(name)}  refused: ${errors.join('; ')}`)
      expect(errors).toEqual([expect.stringContaining(` error ${refused}: `)])
      return
    }
    expect(errors).toEqual([])
    writeFiles(root, made.files)
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(project))
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(join(repository, 'node_modules/@types'), join(root, 'node_modules/@types'))
    const faults = typeCheck(root)
    const { model } = made
    if (model === undefined) throw new Error('the document has no model')
    const wire = await connectedGeneration(made, root)
    const { called, changed, skipped } = await roundTrip(model, wire)
    const seconds = ((user + system) / 1e6).toFixed(1)
    const lines = [...made.files.values()].reduce((sum, text) => sum + text.split('\n').length, 0)
    rows.push(cells(name, called + skipped, lines, seconds, called, skipped, changed.length))
    expect(faults).toBe('')
    expect(changed.filter(({ id }) => !impossible.includes(id))).toEqual([])
  } finally {
    removeFolder(root)
  }
}

const project = {
  extends: join(repository, 'tsconfig.json'),
  compilerOptions: { noEmit: true, types: [] },
  include: ['doc'],
  exclude: [],
}

afterAll(() => {
  if (rows.length === 0) return
  console.log([cells('document', 'operations', 'lines', 'CPU s', 'called', 'skipped', 'changed'), ...rows].join('\n'))
})

test.runIf(isAsked).each(packageDocuments)(
  'the document $name of an npm package generates, type-checks and arrives as sent',
  async document => prove(document, fetched(document.from, folder ?? '')),
  600_000,
)

test.runIf(isAsked).each(['3.0.3', '3.1.0'])(
  'a document of 2,901 files of OpenAPI %s generates, type-checks and arrives as sent',
  { timeout: 600_000 },
  async version => {
    const made = newFolder()
    try {
      await prove({ name: `many files ${version}`, file: writeManyFiles(made, 1450, version) }, made)
    } finally {
      removeFolder(made)
    }
  },
)
