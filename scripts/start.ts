/** `npm start` brings the output up to date, then serves for development. Further arguments go to `ninefold serve`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { generateArguments, root } from './project.ts'

const { status } = spawnSync(process.execPath, generateArguments(), {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (status === 0) {
  // The server runs in this process, so that signals reach it directly.
  process.argv = [process.execPath, join(root, 'ninefold.ts'), 'serve', '--dev', ...process.argv.slice(2)]
  await import('../ninefold.ts')
} else {
  console.error('start: generate failed, so nothing is served; correct the document and start again')
  process.exitCode = 1
}
