import { openSafe } from '../../../../domain/vault/seal/open-safe.ts'
import { createClock } from '../../../../server/clock.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore } from '../../../../server/platform-store.ts'
import type { Store, Transaction } from '../../../../domain/ports/store.ts'
import { rootKey } from '../keyrings.ts'

/** This program changes the root key of a store, and kills itself at the call of the transaction with a given number. */

const [dataDir = '', last = '0'] = process.argv.slice(2)
let calls = 0

function reach(): void {
  calls += 1
  if (calls === Number(last)) process.kill(process.pid, 'SIGKILL')
}

/** Returns a transaction that may end this process before each of its calls. */
const watched = (tx: Transaction): Transaction =>
  new Proxy(tx, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        reach()
        return Reflect.apply(member, target, given)
      }
    },
  })

const store = await openStore({ dataDir }, areas)
const killed: Pick<Store, 'tx'> = {
  async tx(fn) {
    const result = await store.tx(async tx => {
      const made = await fn(watched(tx))
      reach()
      return made
    })
    reach()
    return result
  },
}
await openSafe({ ...store, tx: killed.tx }, createClock(), { current: rootKey('second'), previous: rootKey('first') })
await store.close()
process.stdout.write(String(calls))
