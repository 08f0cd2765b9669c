import { availableParallelism } from 'node:os'

/** The resources of the machine for hashing. */
export interface HashingRoom {
  readonly cores: number
  /** The number of threads in the pool that hashing shares with file and name look-ups. */
  readonly threads: number
}

/**
 * Returns the maximal number of concurrent hashes. One core is left to calls, which would otherwise wait for the
 * processor while many users sign in, and one thread of the pool to file and name look-ups.
 */
export function hashedAtOnce({ cores, threads }: HashingRoom = roomHere()): number {
  return Math.max(1, Math.min(cores, threads) - 1)
}

/**
 * Returns the resources of this machine. The thread pool of libuv has four threads unless the environment sets another
 * number.
 */
function roomHere(): HashingRoom {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return { cores: availableParallelism(), threads: Number.isInteger(threads) ? threads : 4 }
}
