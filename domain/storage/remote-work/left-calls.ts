import type { Converging } from './converging.ts'

/** The time after which a call is taken for dead in any case, in milliseconds: it outlives all its requests. */
const givenUpMs = 600_000

/** Tells whether calls that have begun a change in an S3 store still run. */
export interface LeftCalls {
  /**
   * Whether the call of a process that began a change at a time will not end it: the call has failed, its process is
   * dead, or the time is long ago. The row that names the process must have been read before.
   */
  isLeft(owner: string, time: string): Promise<boolean>
  /** Whether a change began so long ago that its store will not make it any more. */
  isOver(time: string): boolean
}

/** Returns the judgement of the calls of the servers over one store. */
export function leftCalls({ clock, processes, store }: Converging): LeftCalls {
  const isOver = (time: string): boolean => Date.parse(time) + givenUpMs <= clock.now()
  return {
    isOver,
    isLeft: async (owner, time) => owner === '' || isOver(time) || !(await processes.living(store)).has(owner),
  }
}
