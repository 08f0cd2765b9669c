import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { repository } from './generation.ts'

/** What TypeScript says about the project in `folder`; nothing when it is sound. */
export function typeCheck(folder: string): string {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}
