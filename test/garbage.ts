import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What nothing but weak references lead to is gone behind it. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // What was looked at in a turn is kept until its end.
  await setImmediate()
  if (typeof collect === 'function') collect()
}
