/** `npm run build`: JavaScript and declarations in dist/, so that the packed tarball needs no type stripping. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, toolFile } from './project.ts'

const dist = join(root, 'dist')
/** What compiled code reads beside itself, at the same place as in the sources. */
const copied = ['templates', 'specs']

rmSync(dist, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [toolFile('typescript', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  // What the compiler finds goes where errors go.
  stdio: ['ignore', 2, 2],
})
if (status === 0) {
  for (const folder of copied) cpSync(join(root, folder), join(dist, folder), { recursive: true })
  chmodSync(join(dist, 'ninefold.js'), 0o755)
} else {
  console.error('build: the compiler reported errors, dist/ is incomplete')
  process.exitCode = 1
}
