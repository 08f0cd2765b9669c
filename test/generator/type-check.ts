import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { repository } from './generation.ts'

/** Returns the errors of TypeScript in the project in `folder`; an empty text for a sound project. */
export function typeCheck(folder: string): string {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}
