import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { StorePlace } from '../../../server/platform-store.ts'
import { startClientProgram, type Client } from '../../areas/kill/client-process.ts'
import type { Later } from '../store/harness.ts'
import type { Journal } from './journal.ts'
import type { Load } from './load-client.ts'

const serverProgram = fileURLToPath(new URL('./killed-server.ts', import.meta.url))
const clientProgram = fileURLToPath(new URL('./load-client.ts', import.meta.url))

/** A program in a process of its own. */
export interface Program {
  /** Ends the process at once, and is fulfilled when it has ended. */
  kill(): Promise<void>
}

/**
 * A port on which nothing listens, below those that systems give to outgoing connections: a client that calls while
 * nothing listens there could otherwise be given the port itself, and be connected with itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const listener = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      listener.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    listener.close()
    await once(listener, 'close')
    return port
  }
}

/** Starts a server, which is killed `later`; fulfilled once it answers. */
export async function startServer(place: StorePlace, port: number, later: Later): Promise<Program> {
  const args = [serverProgram, JSON.stringify(place), String(port)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  later(() => void child.kill('SIGKILL'))
  const errors: string[] = []
  createInterface(child.stderr).on('line', line => void errors.push(line))
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const started = await Promise.race([once(lines, 'line'), exited.then(() => undefined)])
  if (started === undefined) throw new Error(`the server ended before it answered: ${errors.join('\n')}`)
  return {
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Starts a client, which writes the journal from then on, also for calls that it reported before the kill. */
export const startClient = (load: Load, journal: Journal, later: Later): Client =>
  startClientProgram(clientProgram, load, journal, later)
