import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../generation.ts'

/** The folder of the handed documents. */
export const casesFolder = join(repository, 'test/cases/openapi')

/** One run of the generator over a handed document, or over several together. */
export interface CaseRun {
  /** `circular-refs`, or `change-pair-breaking/before` where a case has several runs. */
  readonly name: string
  /** The name of its `.expect.md`. */
  readonly expectation: string
  /** Entry documents relative to the folder of the cases. */
  readonly files: readonly string[]
}

/** Folders whose entry documents are versions of each other; the others' are generated together. */
const versions: ReadonlySet<string> = new Set(['change-pair-breaking', 'same-document-two-orders'])

/** Every handed case, by name. */
export const caseNames: readonly string[] = readdirSync(casesFolder)
  .filter(file => file.endsWith('.expect.md'))
  .map(file => file.slice(0, -'.expect.md'.length))
  .sort()

function runsOf(name: string): readonly CaseRun[] {
  if (existsSync(join(casesFolder, `${name}.yaml`))) return [{ name, expectation: name, files: [`${name}.yaml`] }]
  const entries = readdirSync(join(casesFolder, name))
    .sort()
    .filter(file => file.endsWith('.yaml') && isEntry(join(casesFolder, name, file)))
    .map(file => `${name}/${file}`)
  if (!versions.has(name)) return [{ name, expectation: name, files: entries }]
  return entries.map(file => ({ name: file.replace(/\.yaml$/, ''), expectation: name, files: [file] }))
}

const isEntry = (path: string): boolean => readFileSync(path, 'utf8').startsWith('openapi:')

export const caseRuns: readonly CaseRun[] = caseNames.flatMap(runsOf)
