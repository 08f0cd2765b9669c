import { availableParallelism } from 'node:os'

/** What the machine has for hashing. */
export interface HashingRoom {
  readonly cores: number
  /** Threads of the pool that hashing shares with files and names. */
  readonly threads: number
}

/**
 * How many passwords are hashed at once: one core is left to who answers calls, or they would wait for a turn of the
 * processor while many sign in, and one thread of the pool to files and names.
 */
export function hashedAtOnce({ cores, threads }: HashingRoom = roomHere()): number {
  return Math.max(1, Math.min(cores, threads) - 1)
}

/** The pool of libuv has four threads unless the environment says otherwise. */
function roomHere(): HashingRoom {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return { cores: availableParallelism(), threads: Number.isInteger(threads) ? threads : 4 }
}
