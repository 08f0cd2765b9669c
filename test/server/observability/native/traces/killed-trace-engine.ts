import { join } from 'node:path'
import { NativeLease } from '../../../../../domain/resources/native-lease.ts'
import { NativeTraceEngine } from '../../../../../server/observability/native/native-trace-engine.ts'
import { noon } from '../engines.ts'
import { killedWorkspace, spansOfRound } from './kill-load.ts'
import { batchOf, spanLimits } from './trace-engines.ts'

/**
 * Writes spans until it is killed. A line on standard output names a round whose writes the engine has answered.
 * Arguments: the folder, and the first round.
 */

const [folder = '', first = '0'] = process.argv.slice(2)
const lease = new NativeLease()
lease.hold(new AbortController().signal)
const log = { error: console.error, warn: console.error }
const engine = new NativeTraceEngine({ root: join(folder, 'observability'), clock: { now: () => noon }, lease, log })

for (let round = Number(first); ; round += 1) {
  const writes = spansOfRound(round).map(spans => engine.write(killedWorkspace, batchOf(spans), spanLimits))
  await Promise.all(writes)
  process.stdout.write(`${round}\n`)
}
