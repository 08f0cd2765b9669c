import { setTimeout as pause } from 'node:timers/promises'
import { done, type Procedure, type StepContext } from '../../../domain/ports/procedures.ts'
import type { Collection } from '../../../domain/ports/store.ts'
import { createClock } from '../../../server/clock.ts'
import type { Turn } from '../../../domain/ports/workers.ts'
import { works } from '../../../server/operations/work.ts'
import { startTime } from '../../../server/store-time.ts'
import { openPostgres } from '../../../server/store/postgres.ts'
import { isPostgres, openPlace } from '../store/place.ts'
import { benchCollections, count, logLines, workBench } from './work-bench.ts'

/** A write of a step; the ids of a step's writes are in the order of the commits. */
export interface Mark {
  readonly id: string
  readonly step: string
  readonly kind: 'begin' | 'end'
  /** The fence of the claim under which the step wrote this mark. */
  readonly fence: number
}

export const marks: Collection<Mark> = {
  name: 'sample_marks',
  id: 'id',
  columns: { step: 'STRING' },
  indexes: [['step']],
}

/** A periodic run that took effect; the ids are in the order of the commits. */
export interface TurnMark {
  readonly id: string
  readonly pid: number
}

export const turnMarks: Collection<TurnMark> = { name: 'sample_turns', id: 'id' }

/** The collections of these processes. */
export const manyCollections: readonly Collection<never>[] = [...benchCollections, marks, turnMarks]

/** A report of a process about a step: one line of JSON, printed at the time of the event. */
export interface Event {
  readonly event: 'enter' | 'leave' | 'lost'
  readonly step: string
  /** Milliseconds since 1970 on the clock of the machine. */
  readonly time: number
}

type Lift = StepContext<{ readonly crate: string }>

/** Returns a procedure of two slow steps, which write a mark under their lease when they begin and when they end. */
export function lift(tell: (event: Event) => void): Procedure<{ readonly crate: string }> {
  const run = async (name: string, context: Lift) => {
    const step = `${context.input.crate} ${name}`
    const at = (event: Event['event']): void => tell({ event, step, time: realNow() })
    at('enter')
    try {
      await mark(context, step, 'begin')
      await pause(40 + 160 * Math.random())
      await mark(context, step, 'end')
    } catch (error) {
      at('lost')
      throw error
    }
    at('leave')
    return done(tx => count(tx, step))
  }
  return { kind: 'sample.lift', steps: ['up', 'down'].map(name => ({ name, run: context => run(name, context) })) }
}

/** Writes a mark of a step. The lock of the work's row keeps other processes from marking the step at the same time. */
const mark = ({ operationId = '', tx }: Lift, step: string, kind: Mark['kind']): Promise<void> =>
  tx(async inner => {
    const fence = (await inner.get(works, operationId))?.value.fence ?? 0
    const place = String(await inner.count(marks, { step })).padStart(4, '0')
    await inner.insert(marks, { id: `${step} ${place}`, step, kind, fence })
  })

const realNow = Date.now

const [place, leaseMs, skewMs = '0'] = process.argv.slice(2)
if (place !== undefined && import.meta.main) {
  Date.now = () => realNow() + Number(skewMs)
  const lease = Number(leaseMs)
  // As in a server, the database ends a stalled transaction before the lease of its process expires.
  const times = { lockMs: lease / 4, idleMs: lease / 2 }
  const store = isPostgres(place)
    ? await openPostgres({ url: place, collections: manyCollections, times })
    : await openPlace(place, manyCollections)
  const time = await startTime(store, logLines())
  const told = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  const bench = workBench(store, [lift(told)], createClock(time.now))
  const run = async ({ tx }: Turn): Promise<void> => {
    told({ turn: realNow() })
    await tx(async inner => {
      const id = String(await inner.count(turnMarks)).padStart(6, '0')
      await inner.insert(turnMarks, { id, pid: process.pid })
    })
  }
  const turns = { name: 'sample.turns', everyMs: 20, run }
  const options = { leaseMs: lease, heartbeatMs: lease / 10, pollMs: 50, concurrency: 6 }
  const workers = await bench.work(options, [turns])
  told({ isReady: true })
  process.stdin.on('end', () => void workers.stop().then(() => store.close())).resume()
}
