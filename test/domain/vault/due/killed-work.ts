import { setTimeout as nextPoll } from 'node:timers/promises'
import type { Transaction } from '../../../../domain/ports/store.ts'
import type { Worker } from '../../../../domain/ports/workers.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { testToken } from '../../../server/access/test-access.ts'
import { openDue, overdue } from './due-platform.ts'
import { makeDue, makeResources } from './due-work.ts'

/**
 * This program makes resources whose work is due, does the work, and kills itself at the point with a given number: a
 * call of a transaction, or the moment before or after its commit. The program prints the resources, and the kind of the
 * work of each point if no point kills it.
 */

/** The JSON argument of the program. */
export interface KilledWork {
  readonly place: StorePlace
  /** The number of the point, from 1; 0 for none. */
  readonly last: number
}

/** A line of the output, as JSON. */
export interface WorkLine {
  readonly resources?: readonly { readonly kind: string; readonly id: string }[]
  /** The kind of the work of each point, in order. */
  readonly points?: readonly string[]
}

const [text = ''] = process.argv.slice(2)
const { last, place }: KilledWork = JSON.parse(text)
const kinds = new Map<string, string>()
const points: string[] = []
let unnamed = 0
let isArmed = false

// A write to a pipe is synchronous, so the parent receives the line even if the process is killed next.
const tell = (line: WorkLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

function reach(): void {
  unnamed += 1
  if (points.length + unnamed === last) process.kill(process.pid, 'SIGKILL')
}

/** Names the points since the last name by the kind of work of a resource. */
function name(kind: string): void {
  for (; unnamed > 0; unnamed -= 1) points.push(kind)
}

/** Returns a transaction that may end this process before each of its calls. `worked` receives the ids of locked rows. */
const watched = (tx: Transaction, worked: (id: unknown) => void): Transaction =>
  new Proxy(tx, {
    get(target, member) {
      const call: unknown = Reflect.get(target, member)
      if (typeof call !== 'function') return call
      return (...given: readonly unknown[]) => {
        reach()
        if (member === 'lock') worked(given[1])
        return Reflect.apply(call, target, given)
      }
    },
  })

const watchedWorker = (worker: Worker): Worker => ({
  ...worker,
  everyMs: 50,
  async run(turn) {
    if (!isArmed) return
    await worker.run({
      signal: turn.signal,
      async tx(fn) {
        let kind = ''
        const result = await turn.tx(async tx => {
          const made = await fn(watched(tx, id => (kind ||= kinds.get(String(id)) ?? '')))
          reach()
          return made
        })
        reach()
        name(kind)
        return result
      },
    })
  },
})

const { close, store, transport } = await openDue(place, watchedWorker)
const resources = await makeResources(transport(testToken))
for (const { id, kind } of resources) {
  kinds.set(id, kind)
  if (kind === 'secrets.expire') kinds.set(`secrets.erase/${id}`, 'secrets.erase')
  if (kind === 'cryptoKeyVersions.destroy') kinds.set(`cryptoKeys.erase/${id.replace(/\/.*/, '')}`, 'cryptoKeys.erase')
}
await makeDue(store, resources)
tell({ resources: resources.map(({ id, kind }) => ({ id, kind })) })
isArmed = true
while ((await overdue(store)).length > 0) await nextPoll(20)
await close()
tell({ points })
