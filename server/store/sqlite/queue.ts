import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Runs tasks one after the other in the order of their calls; a failed task does not stop the next task. A task waits
 * for the next turn of the event loop after the task before: calls of SQLite block the thread, and many waiting tasks
 * in one turn would delay all sockets until the last task has ended.
 */
export class FifoQueue {
  #tail: Promise<unknown> = Promise.resolve()
  #closed = false

  /** Settles as `task` does, which starts once all earlier tasks have settled. */
  run<R>(task: () => Promise<R>): Promise<R> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    return this.#append(task)
  }

  /** Refuses further tasks; `last` runs once all earlier tasks have settled. */
  close(last: () => Promise<void>): Promise<void> {
    if (this.#closed) return this.#append(async () => undefined)
    this.#closed = true
    return this.#append(last)
  }

  #append<R>(task: () => Promise<R>): Promise<R> {
    const result = this.#tail.then(task, task)
    this.#tail = result.catch(() => undefined).then(() => nextTurn())
    return result
  }
}
