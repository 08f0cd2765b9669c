import { join } from 'node:path'
import { NativeLease } from '../../../../../domain/resources/native-lease.ts'
import { NativeLogEngine } from '../../../../../server/observability/native/native-log-engine.ts'
import { dayMs, noon } from '../engines.ts'
import { linesOfRound, workspace } from './log-kill-load.ts'
import { at, entry, logBatch, logLimits } from './log-engines.ts'

/**
 * Writes lines, and purges now and then, until it is killed. A line on standard output names a round whose calls the
 * engine has answered. Arguments: the folder, and the first round.
 */

const [folder = '', first = '0'] = process.argv.slice(2)
const lease = new NativeLease()
lease.hold(new AbortController().signal)
const log = { error: console.error, warn: console.error }
const engine = new NativeLogEngine({ root: join(folder, 'observability'), clock: { now: () => noon }, lease, log })
const retention = { defaultMs: 30 * dayMs, selected: [{ selector: '{short="yes"}', retentionMs: 3_600_000 }] }

for (let round = Number(first); ; round += 1) {
  const time = at(noon - (round % 3) * 11 * 3_600_000, round)
  const entries = linesOfRound(round).map(line => entry(time, line))
  const kept = entries.map((each, i) => logBatch([{ service_name: 'api', part: String(i % 3) }, [each]]))
  const old = logBatch([{ service_name: 'api', short: 'yes' }, [entry(at(noon - 2 * dayMs), `gone ${round}`)]])
  const calls: Promise<unknown>[] = [...kept, old].map(each => engine.write(workspace, each, logLimits))
  if (round % 5 === 4) calls.push(engine.purge(workspace, retention))
  await Promise.all(calls)
  process.stdout.write(`${round}\n`)
}
