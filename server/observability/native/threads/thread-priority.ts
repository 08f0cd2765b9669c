import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The priority of threads whose work may wait, as of `nice`: the other threads of the server have 0. */
const niceness = 10

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
