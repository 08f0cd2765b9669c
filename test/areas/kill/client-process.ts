import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Entry, Journal } from '../../server/killed/journal.ts'
import type { Later } from '../../server/store/harness.ts'

/** A process of clients that make calls. */
export interface Client {
  /** Sets the token of all further calls. */
  renew(token: string): void
  /** Throws with the output of the process if the process has ended by itself. */
  requireRunning(): void
  /** Kills the process with SIGKILL; the promise is fulfilled when the process has ended. */
  kill(): Promise<void>
  /** Ends the process after the calls in progress. */
  finish(): Promise<void>
}

/**
 * Starts a program that calls `runLoad` with the given load, and adds all entries that the program prints to the
 * journal. `later` registers a function that kills the program.
 */
export function startClientProgram(program: string, load: object, journal: Journal, later: Later): Client {
  const child = spawn(process.execPath, [program, JSON.stringify(load)], { stdio: ['pipe', 'pipe', 'pipe'] })
  later(() => void child.kill('SIGKILL'))
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const lines = createInterface(child.stdout).on('line', line => {
    // A killed client may leave an incomplete line.
    if (!line.endsWith('}')) return
    const entry: Entry = JSON.parse(line)
    journal.add(entry)
  })
  const closed = Promise.all([once(child, 'close'), once(lines, 'close')])
  return {
    renew: token => void child.stdin.write(`${token}\n`),
    requireRunning() {
      if (child.exitCode !== null) throw new Error(`the client failed: ${errors.join('\n')}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async finish() {
      child.stdin.end()
      await closed
      if (child.exitCode !== 0) throw new Error(`the client failed: ${errors.join('\n')}`)
    },
  }
}
