import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage: afterwards, objects with weak references only are gone. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // An object that was looked at in a turn is kept until its end.
  await setImmediate()
  if (typeof collect === 'function') collect()
}
