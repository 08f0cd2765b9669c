import { existsSync } from 'node:fs'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { done, type Procedure, type StepContext } from '../../../domain/ports/procedures.ts'
import { openPlace } from '../store/place.ts'
import { benchCollections, count, workBench } from './work-bench.ts'

/** A report of a process about a step, one line of JSON. */
export interface Told {
  readonly event: 'enter' | 'leave' | 'lost'
  readonly crate: string
  readonly step: string
  /** Milliseconds since 1970: processes of one machine share this clock. */
  readonly time: number
}

/**
 * Returns a procedure of three slow steps. The first run of a step stops the whole process until the file `until`
 * exists, unless `until` is empty.
 */
export function haul(tell: (told: Told) => void, until = ''): Procedure<{ readonly crate: string }> {
  let isStalling = until !== ''
  const run = async (name: string, { input: { crate }, tx }: StepContext<{ readonly crate: string }>) => {
    const event = (kind: Told['event']): void => tell({ event: kind, crate, step: name, time: Date.now() })
    event('enter')
    if (isStalling) {
      isStalling = false
      // No transaction is open between two turns of the event loop.
      await turn()
      while (!existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    } else await pause(5)
    await tx(async () => event('leave')).catch((error: unknown) => {
      event('lost')
      throw error
    })
    return done(inner => count(inner, `${crate} ${name}`))
  }
  return {
    kind: 'sample.haul',
    steps: ['a', 'b', 'c'].map(name => ({ name, run: context => run(name, context) })),
  }
}

const [place, leaseMs, until] = process.argv.slice(2)
if (place !== undefined && import.meta.main) {
  const store = await openPlace(place, benchCollections)
  const told = (line: Told): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  const bench = workBench(store, [haul(told, until)])
  const workers = await bench.work({ leaseMs: Number(leaseMs) })
  process.stdin.on('end', () => void workers.stop().then(() => store.close())).resume()
}
