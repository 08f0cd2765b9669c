import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { meets } from '../storage/limits.ts'

/** A turn of the event loop may use the processor for this time, in milliseconds. */
const heldMs = 20

/** The longest turn by the processor, and the longest turn on the clock, in milliseconds. */
interface LongestTurns {
  readonly cpuMs: number
  readonly clockMs: number
}

/**
 * Runs in the main thread of a watched program. Writes a line to `file` for each interval between two samples that is
 * longer than a short turn: the processor time of the thread and the time on the clock, in milliseconds. An interval
 * contains whole turns, so no turn takes longer than its interval.
 */
function watch(file: string): void {
  const { isMainThread } = process.getBuiltinModule('node:worker_threads')
  if (!isMainThread) return
  const { openSync, writeSync } = process.getBuiltinModule('node:fs')
  const [sampleMs, shortMs] = [5, 8]
  const lines = openSync(file, 'a')
  const cpuNow = (): number => {
    const { system, user } = process.threadCpuUsage()
    return (system + user) / 1000
  }
  let [last, lastCpu] = [performance.now(), cpuNow()]
  const sample = (): void => {
    const [now, cpu] = [performance.now(), cpuNow()]
    if (now - last > shortMs) writeSync(lines, `${cpu - lastCpu} ${now - last}\n`)
    ;[last, lastCpu] = [performance.now(), cpuNow()]
  }
  setInterval(sample, sampleMs).unref()
}

/** The longest turns of a server, which its main thread measures itself. */
export class WatchedTurns {
  readonly #file = join(tmpdir(), `ninefold-turns-${randomUUID()}`)
  #read = 0

  /** The environment variables with which the server starts. */
  get environment(): Readonly<Record<string, string>> {
    const program = `(${watch.toString()})(${JSON.stringify(this.#file)})`
    return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
  }

  /** Returns the longest turns since the last call. */
  next(): LongestTurns {
    const lines = readFileSync(this.#file, 'utf8').trimEnd().split('\n').slice(this.#read)
    this.#read += lines.length
    const of = (at: number): number => Math.max(0, ...lines.map(line => Number(line.split(' ')[at])))
    return { cpuMs: of(0), clockMs: of(1) }
  }

  /** Prints the longest turns since the last call; returns whether they kept the limit of processor time. */
  meetsLimit(): boolean {
    const { clockMs, cpuMs } = this.next()
    const measured = `${cpuMs.toFixed(1)} ms, and ${clockMs.toFixed(1)} ms on the clock`
    return meets(`a turn of the event loop has at most ${heldMs} ms of processor time`, measured, cpuMs <= heldMs)
  }

  /** Removes the file of the turns. */
  close(): void {
    rmSync(this.#file, { force: true })
  }
}
