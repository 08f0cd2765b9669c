import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './generation.ts'

/** Returns the errors of TypeScript in the project in `folder`; an empty text for a sound project. */
export function typeCheck(folder: string): string {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}

/**
 * Makes a folder with output a project of TypeScript, with the strict settings of this repository but not the types of
 * Node.js, and with the packages of this repository.
 */
export function makeProject(folder: string): void {
  const project = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
}
