import fs, { writeSync } from 'node:fs'
import { enableCompileCache, syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * This program backs up or restores, and kills itself before the `at`th call that changes a file or a database. If the
 * work needs fewer calls, the program prints their number.
 */

const [at = '', what = '', dataDir = '', file = ''] = process.argv.slice(2)
let calls = 0

/**
 * Counts the present call if the code of backups makes the call, because Node.js opens files for itself too; kills the
 * process at call number `at`.
 */
function count(): void {
  if (!new Error('where').stack?.replaceAll('/test/server/backup/', '').includes('/server/backup/')) return
  calls += 1
  if (calls === Number(at)) process.kill(process.pid, 'SIGKILL')
}

/** Replaces a method so that its calls are counted. */
function watch(target: object, name: string): void {
  const original: unknown = Reflect.get(target, name)
  if (typeof original !== 'function') throw new TypeError(`there is no ${name}`)
  Reflect.set(target, name, function (this: unknown, ...values: unknown[]) {
    count()
    return Reflect.apply(original, this, values) as unknown
  })
}

enableCompileCache()
for (const name of ['renameSync', 'rmSync', 'linkSync', 'copyFileSync', 'chmodSync', 'fsyncSync', 'openSync']) {
  watch(fs, name)
}
syncBuiltinESMExports()
for (const name of ['exec', 'close']) watch(DatabaseSync.prototype, name)
watch(StatementSync.prototype, 'run')

const print = (): void => undefined
const now = Date.now()
if (what === 'backup') {
  const { backUp } = await import('../../../server/backup/backup.ts')
  await backUp({ dataDir, areas: [], to: file, isReplacing: true, version: '2.0.0', now, print })
} else {
  const { restore } = await import('../../../server/backup/restore.ts')
  restore({ dataDir, areas: [], from: file, isReplacing: true, isDiscarding: true, now, print })
}
writeSync(1, `calls ${calls}\n`)
