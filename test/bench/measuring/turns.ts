import { threadCpuMs } from '../../cpu-time.ts'

/** Times of a task in milliseconds. */
export interface WatchedTurns {
  readonly took: number
  /** The longest turn of the event loop. */
  readonly longest: number
  /** The CPU time of the turn with the most CPU time. Other programs of the machine do not count. */
  readonly longestCpu: number
}

/** Runs a task, and measures the turns of the event loop meanwhile. */
export async function watchedTurns(task: () => Promise<unknown>): Promise<WatchedTurns> {
  let [longest, longestCpu] = [0, 0]
  let [last, lastCpu] = [performance.now(), threadCpuMs()]
  let ended = false
  const turn = (): void => {
    const [now, cpu] = [performance.now(), threadCpuMs()]
    longest = Math.max(longest, now - last)
    longestCpu = Math.max(longestCpu, cpu - lastCpu)
    ;[last, lastCpu] = [now, cpu]
    if (!ended) setImmediate(turn)
  }
  const start = performance.now()
  setImmediate(turn)
  await task()
  const took = performance.now() - start
  ended = true
  turn()
  return { took, longest, longestCpu }
}
