import type { Transaction } from '../../domain/ports/store.ts'
import type { AreaModule } from '../../server/area.ts'
import type { PlatformServices } from '../../server/area-parts.ts'

/** An area whose platform counts the transactions that the store runs again, for example after a deadlock. */
export interface CountedRetries {
  readonly area: AreaModule
  /** Returns the number of further runs since the area was mounted. */
  readonly count: () => number
}

/** Returns an area that counts the further runs of the transactions of its platform. */
export function countedRetries(counted: AreaModule): CountedRetries {
  let count = 0
  const area: AreaModule = {
    ...counted,
    mount(parts: PlatformServices) {
      const { store } = parts
      const begin = store.tx.bind(store)
      store.tx = async function <R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
        let runs = 0
        return begin(tx => {
          if ((runs += 1) > 1) count += 1
          return fn(tx)
        })
      }
      return counted.mount(parts)
    },
  }
  return { area, count: () => count }
}
