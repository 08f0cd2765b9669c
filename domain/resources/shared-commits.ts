import type { Store, Transaction } from '../ports/store.ts'
import { nextTurn } from './next-turn.ts'

/** A change that fails only if the store fails, because it would fail the changes of other calls too. */
type Change = (tx: Transaction) => Promise<void>

/** The most changes of a transaction, so that no transaction is long. */
const most = 32

interface Shared {
  readonly changes: Change[]
  readonly committed: Promise<void>
}

/**
 * Commits the changes of concurrent calls together, so that they wait for the disk once: a change that arrives before a
 * transaction begins shares this transaction, and one transaction runs at a time.
 */
export class SharedCommits {
  readonly #store: Pick<Store, 'tx'>
  /** The transaction that has not begun; undefined without such a transaction. */
  #next: Shared | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(store: Pick<Store, 'tx'>) {
    this.#store = store
  }

  /** Resolves once the change is committed. Throws the error of the transaction. */
  commit(change: Change): Promise<void> {
    if (this.#next && this.#next.changes.length < most) this.#next.changes.push(change)
    else this.#next = this.#begun([change])
    return this.#next.committed
  }

  #begun(changes: Change[]): Shared {
    // The calls of one turn of the event loop share a transaction even if none runs.
    const free = this.#last.catch(() => {}).then(nextTurn)
    const close = (): void => {
      if (this.#next?.changes === changes) this.#next = undefined
    }
    const transaction = () =>
      this.#store.tx(async tx => {
        close()
        for (const change of changes) await change(tx)
      })
    // A store that cannot be reached begins no transaction.
    const committed = free.then(transaction).finally(close)
    this.#last = committed
    return { changes, committed }
  }
}
