import { join } from 'node:path'
import { NativeLease } from '../../../../../domain/resources/native-lease.ts'
import { NativeTraceEngine } from '../../../../../server/observability/native/native-trace-engine.ts'
import { noon } from '../engines.ts'
import { killedWorkspace, shortRetention, shortSpan, spansOfRound } from './kill-load.ts'
import { batchOf, spanLimits } from './trace-engines.ts'

/**
 * Writes spans, and purges now and then, until it is killed. A line on standard output names a round whose calls the engine has answered.
 * Arguments: the folder, and the first round.
 */

const [folder = '', first = '0'] = process.argv.slice(2)
const lease = new NativeLease()
lease.hold(new AbortController().signal)
const log = { error: console.error, warn: console.error }
const engine = new NativeTraceEngine({ root: join(folder, 'observability'), clock: { now: () => noon }, lease, log })

for (let round = Number(first); ; round += 1) {
  const writes = [...spansOfRound(round), [shortSpan(round)]]
  const calls: Promise<unknown>[] = writes.map(spans => engine.write(killedWorkspace, batchOf(spans), spanLimits))
  if (round % 3 === 2) calls.push(engine.purge(killedWorkspace, shortRetention))
  await Promise.all(calls)
  process.stdout.write(`${round}\n`)
}
