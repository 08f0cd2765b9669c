import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../generation.ts'

/** The folder of the cases: OpenAPI documents and the expectations about their output. */
export const casesFolder = join(repository, 'test/cases/openapi')

/** A run of the generator over a document of a case, or over several documents together. */
export interface CaseRun {
  /**
   * The name of the case, for example `circular-refs`; if the case has several runs, followed by the name of the run,
   * for example `change-pair-breaking/before`.
   */
  readonly name: string
  /** The name of the case's `.expect.md` without the ending. */
  readonly expectation: string
  /** The entry documents, relative to the folder of the cases. */
  readonly files: readonly string[]
}

/**
 * The folders whose entry documents are versions of each other. The documents of every other folder are generated in
 * one run.
 */
const versions: ReadonlySet<string> = new Set(['change-pair-breaking', 'same-document-two-orders'])

/** The names of the cases, in alphabetical order. */
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
