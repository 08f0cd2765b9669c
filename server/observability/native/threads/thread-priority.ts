import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * The priority of threads whose work may wait, as of `nice`: the other threads of the server have 0, and get 28 times as
 * much of a processor while both want it. With 10, reads of other areas took more than twice as long during queries.
 */
const niceness = 15

/**
 * Lowers the priority of the thread that calls, so that its work does not delay the answers to other requests. Systems
 * other than Linux have no such priority of a thread.
 */
export function lowerPriority(): void {
  try {
    const thread = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0])
    if (thread !== process.pid) setPriority(thread, niceness)
  } catch {
    // The thread runs with the priority of the others.
  }
}
