/**
 * `npm run build` compiles JavaScript and declarations into dist/, so that the packed tarball needs no type stripping.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, toolFile } from './project.ts'

const dist = join(root, 'dist')
/** The folders that compiled code reads at the same place as the sources. */
const copied = ['templates', 'specs']

rmSync(dist, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [toolFile('typescript', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  // The compiler prints its errors to standard output; errors belong to standard error.
  stdio: ['ignore', 2, 2],
})
if (status === 0) {
  for (const folder of copied) cpSync(join(root, folder), join(dist, folder), { recursive: true })
  chmodSync(join(dist, 'ninefold.js'), 0o755)
} else {
  console.error('build: the compiler reported errors, dist/ is incomplete')
  process.exitCode = 1
}
