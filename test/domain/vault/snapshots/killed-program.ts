import fs, { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { enableCompileCache, syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StorePlace } from '../../../../server/platform-store.ts'

/** The JSON argument of the program. */
export interface KilledWork {
  /** The number of the call at which the process kills itself; 0: never. */
  readonly at: number
  readonly what: 'snapshot' | 'restore'
  readonly place: StorePlace
  /** The snapshot to restore. */
  readonly from: string
  /** The id of the snapshot to take. */
  readonly id: string
}

/**
 * This program takes or restores a snapshot, and kills itself before the `at`th call that changes a file or the store. If
 * the work needs fewer calls, the program prints their number.
 */

const work: KilledWork = JSON.parse(process.argv[2] ?? '')
let calls = 0
let isCounting = false

function count(): void {
  if (!isCounting) return
  calls += 1
  if (calls === work.at) process.kill(process.pid, 'SIGKILL')
}

/** Replaces a method so that its calls are counted. */
function watch(target: object, ...names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(target, name)
    if (typeof original !== 'function') throw new TypeError(`there is no ${name}`)
    Reflect.set(target, name, function (this: unknown, ...values: unknown[]) {
      count()
      return Reflect.apply(original, this, values) as unknown
    })
  }
}

enableCompileCache()
if (work.what === 'snapshot') {
  const handle = await open(process.argv[1] ?? '')
  watch(Object.getPrototypeOf(handle), 'write', 'writeFile', 'sync')
  await handle.close()
  watch(fs.promises, 'open', 'rename', 'rm', 'mkdir')
  syncBuiltinESMExports()
  const { takeInProcess } = await import('./take-in-process.ts')
  isCounting = true
  await takeInProcess(work.place, work.id)
} else {
  watch(DatabaseSync.prototype, 'exec')
  watch(StatementSync.prototype, 'run')
  const { default: pg } = await import('pg')
  watch(pg.Client.prototype, 'query')
  const { restoreInto } = await import('./taken.ts')
  isCounting = true
  await restoreInto(work.place, work.from, { isReplacing: true })
}
writeSync(1, `calls ${calls}\n`)
