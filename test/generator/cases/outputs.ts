import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Generation,
  generation,
  newFolder,
  removeFolder,
  repository,
  runtimeFrom,
  writeFiles,
} from '../generation.ts'
import { caseRuns, casesFolder } from './documents.ts'

/** The output of the documents of all cases: a root with a folder for each run. */
export interface Outputs {
  readonly root: string
  readonly runs: ReadonlyMap<string, Generation>
  remove(): void
}

/**
 * Generates the documents of all cases into a new project, which has the strict settings of this repository but not the
 * types of Node.js.
 */
export async function generateAll(): Promise<Outputs> {
  const root = newFolder()
  const runs = new Map<string, Generation>()
  for (const { name, files } of caseRuns) {
    const out = join(root, name)
    const run = await generation(files, casesFolder, runtimeFrom(out))
    mkdirSync(out, { recursive: true })
    writeFiles(out, run.files)
    runs.set(name, run)
  }
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  return { root, runs, remove: () => removeFolder(root) }
}
