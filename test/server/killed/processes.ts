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
  /** Kills the process with SIGKILL; the promise is fulfilled when the process has ended. */
  kill(): Promise<void>
}

/**
 * Returns a free port below the range of ephemeral ports. The system can give an ephemeral port to a client that
 * connects while no server listens, and connect this client to itself.
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

/** Starts a server, which `later` kills; the promise is fulfilled once the server is ready. */
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

/** Starts a client, and adds all its reports to the journal, even reports from before a kill. */
export const startClient = (load: Load, journal: Journal, later: Later): Client =>
  startClientProgram(clientProgram, load, journal, later)
