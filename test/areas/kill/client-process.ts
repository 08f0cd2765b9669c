import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Entry, Journal } from '../../server/killed/journal.ts'
import type { Later } from '../../server/store/harness.ts'

/** A process of clients under way. */
export interface Client {
  /** Has it call with this token from now on. */
  renew(token: string): void
  /** Ends the process at once, and is fulfilled when it has ended. */
  kill(): Promise<void>
  /** Lets it end the calls that it makes. */
  finish(): Promise<void>
}

/**
 * Starts a program that calls `runLoad` with the load it is given as JSON. It writes the journal from then on, also for
 * calls that it reported before the kill. It is killed `later`.
 */
export function startClientProgram(program: string, load: object, journal: Journal, later: Later): Client {
  const child = spawn(process.execPath, [program, JSON.stringify(load)], { stdio: ['pipe', 'pipe', 'pipe'] })
  later(() => void child.kill('SIGKILL'))
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const lines = createInterface(child.stdout).on('line', line => {
    // A client that is killed may leave a line that it has only begun.
    if (!line.endsWith('}')) return
    const entry: Entry = JSON.parse(line)
    journal.add(entry)
  })
  const closed = Promise.all([once(child, 'close'), once(lines, 'close')])
  return {
    renew: token => void child.stdin.write(`${token}\n`),
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
