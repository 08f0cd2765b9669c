import { join } from 'node:path'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { NativeMetricEngine } from '../../../../server/observability/native/native-metric-engine.ts'
import { isDropped, writtenIn } from './kill-load.ts'
import { batch, dayMs, limits, noon } from './engines.ts'

/**
 * Writes, purges and drops until it is killed. A line on standard output names a round whose calls the engine has
 * answered. Arguments: the folder, and the first round.
 */

const [folder = '', first = '0'] = process.argv.slice(2)
const lease = new NativeLease()
lease.hold(new AbortController().signal)
const log = { error: console.error, warn: console.error }
const engine = new NativeMetricEngine({ root: join(folder, 'observability'), clock: { now: () => noon }, lease, log })
const retention = { defaultMs: dayMs, selected: [{ selector: '{job="1"}', retentionMs: 2 * dayMs }] }

for (let round = Number(first); ; round += 1) {
  const writes = writtenIn(round).map(({ workspace, written }) => engine.write(workspace, batch(...written), limits))
  const [{ workspace }] = writtenIn(round)
  if (round % 5 === 4)
    writes.push(engine.purge(workspace, retention).then(() => ({ accepted: 0, rejections: {}, message: '' })))
  if (isDropped(round)) await engine.drop(workspace)
  await Promise.allSettled(writes)
  process.stdout.write(`${round}\n`)
}
