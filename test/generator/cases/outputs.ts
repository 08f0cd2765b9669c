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

/** Every handed document generated into one folder, a folder a run; made once for the tests of a file. */
export interface Outputs {
  readonly root: string
  readonly runs: ReadonlyMap<string, Generation>
  remove(): void
}

/** The folder is a project of its own: strict as this repository, but without the types of Node.js. */
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
