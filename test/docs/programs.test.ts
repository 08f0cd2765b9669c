import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, removeFolder, repository, writeFiles } from '../generator/generation.ts'
import { typeCheck } from '../generator/type-check.ts'

/** Returns the complete programs of a page: its TypeScript blocks that begin with an import. */
function programsOf(page: string): readonly string[] {
  const text = readFileSync(join(repository, page), 'utf8')
  return [...text.matchAll(/^```ts\n(import .*?)^```$/gms)].map(([, program = '']) => program)
}

test.each(['README.md', 'docs/cli.md', 'docs/iam.md'])('the programs of %s are sound TypeScript', page => {
  const programs = programsOf(page)
  expect(programs.length).toBeGreaterThan(0)
  const folder = newFolder()
  try {
    writeFiles(folder, new Map(programs.map((program, i) => [`program-${i}.ts`, program])))
    for (const given of ['client', 'output', 'runtime'])
      symlinkSync(join(repository, given), join(folder, given), 'dir')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { typeRoots: [join(repository, 'node_modules/@types')] }
    const project = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    expect(typeCheck(folder)).toBe('')
  } finally {
    removeFolder(folder)
  }
})
