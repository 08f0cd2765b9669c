import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Later } from '../../server/store/harness.ts'
import type { Arming, WalkedLine, WalkedServer } from './serve-walked.ts'

/** A server in a process of its own that kills itself at a given point. */
export interface WalkedProcess {
  /** The time from the start of the process until it listened, in milliseconds. */
  readonly startMs: number
  arm(arming: Arming): Promise<void>
  isRunning(): boolean
  /** Kills the process, and returns once the process has ended. */
  kill(): Promise<void>
  /** A promise that is fulfilled when the process has ended. */
  readonly ended: Promise<void>
}

/**
 * Starts a program that calls `serveWalked`, and waits until the server listens. `later` registers a function that
 * kills the program; `hear` receives every line of JSON that the program prints. Rejects if the process ends before the
 * server listens.
 */
export async function startWalked(
  program: string,
  server: WalkedServer,
  hear: (line: WalkedLine) => void,
  later: Later,
): Promise<WalkedProcess> {
  const since = performance.now()
  const child = spawn(process.execPath, [program, JSON.stringify(server)], { stdio: ['pipe', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  later(async () => {
    child.kill('SIGKILL')
    await closed
  })
  // A write to a process that has just died fails; the error does not matter.
  child.stdin.on('error', () => {})
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const listening = Promise.withResolvers<boolean>()
  const arming: ((isArmed: boolean) => void)[] = []
  createInterface(child.stdout).on('line', text => {
    // The log of the server uses the same pipe, so lines that are not JSON are skipped.
    if (!text.startsWith('{') || !text.endsWith('}')) return
    const line: WalkedLine = JSON.parse(text)
    if (line.listens !== undefined) listening.resolve(true)
    if (line.armed !== undefined) arming.shift()?.(true)
    hear(line)
  })
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const end = async (): Promise<void> => {
    await closed
    listening.resolve(false)
    for (const give of arming.splice(0)) give(false)
  }
  const ended = end()
  if (!(await listening.promise)) throw new Error(`the server ended before it listened: ${errors.join('\n')}`)
  return {
    startMs: performance.now() - since,
    async arm(where) {
      if (!isRunning()) return
      const answered = Promise.withResolvers<boolean>()
      arming.push(answered.resolve)
      child.stdin.write(`${JSON.stringify(where)}\n`)
      await answered.promise
    },
    isRunning,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    ended,
  }
}
