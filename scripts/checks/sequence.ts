import { matchesGlob, relative, sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { root } from '../project.ts'
import { begunFirst } from './test-folders.ts'

/** Orders test files as vitest does, but puts the files of `begunFirst` first. */
export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isFirst), ...sorted.filter(file => !isFirst(file))]
  }
}

function isFirst({ moduleId }: TestSpecification): boolean {
  const path = relative(root, moduleId).split(sep).join('/')
  return begunFirst.some(glob => matchesGlob(path, glob))
}
