import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { backUp } from '../../../server/backup/backup.ts'
import type { BackupManifest } from '../../../server/backup/manifest.ts'
import { restore, type RestoreRequest } from '../../../server/backup/restore.ts'
import { compose } from '../../../server/compose.ts'
import { doctor } from '../../../server/doctor/doctor.ts'
import { openIam } from '../../../server/iam/open.ts'
import { administratorFile, signIn } from '../access/sign-in.ts'
import { logLines } from '../operations/work-bench.ts'
import { testFolder } from '../store/harness.ts'

const main = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))

/** Starts `ninefold` in a process of its own, which is killed after the test if it is still running. */
export function command(dataDir: string, words: readonly string[]): ChildProcess {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NINEFOLD_DATA_DIR: dataDir,
    NINEFOLD_HTTP_PORT: '0',
    NINEFOLD_BOOTSTRAP_ADMIN_PASSWORD_FILE: administratorFile(testFolder()),
  }
  const child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly said: string
}

/** Waits for the end of a command; returns its exit code or signal, and its output on both streams. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += String(chunk)))
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, said }
}

/** A server in its own process; `call` uses the administrator's token. */
export interface Served {
  readonly child: ChildProcess
  readonly url: string
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<{ readonly status: number; readonly body: string }>
  stop(): Promise<void>
}

/** Serves a data folder in a process of its own, and signs the administrator in; returns the server. */
export async function served(dataDir: string): Promise<Served> {
  const child = command(dataDir, ['serve'])
  const url = await urlOf(child)
  // The process registers its signal handlers after it has printed its address, in the same turn of the event loop. The
  // process answers a request only after this turn.
  await fetch(`${url}/readyz`)
  const token = await signIn(url)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    child,
    url,
    async call(method, path, body) {
      const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, body: await answer.text() }
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}

async function urlOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the command has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\/\/[\d.]+:\d+/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the command ended before it served')
}

/** Makes a folder with a data folder in the state after a first start and an orderly stop. */
export async function started(): Promise<{ readonly folder: string; readonly dataDir: string }> {
  const folder = testFolder()
  const dataDir = join(folder, 'data')
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const bootstrap = { adminPasswordFile: administratorFile(testFolder()) }
  const platform = await compose({ baseUrl: undefined, dataDir, http, bootstrap }, logLines(), areas, openIam)
  await platform.close()
  return { folder, dataDir }
}

/** Backs up a data folder in this process; returns the manifest. */
export const backUpTo = (dataDir: string, to: string, isReplacing = false): Promise<BackupManifest> =>
  backUp({ dataDir, areas, to, isReplacing, version: '1.2.3', now: Date.now(), print: () => undefined })

/** Restores in this process; returns the lines of the output. */
export function restoreFrom(dataDir: string, from: string, more: Partial<RestoreRequest> = {}): readonly string[] {
  const lines: string[] = []
  restore({
    dataDir,
    areas,
    from,
    isReplacing: true,
    isDiscarding: false,
    now: Date.now(),
    print: line => void lines.push(line),
    ...more,
  })
  return lines
}

/** Throws if the doctor has a finding in the store of a data folder; findings about other files do not count. */
export async function expectSound(dataDir: string): Promise<void> {
  const lines: string[] = []
  await doctor({ place: { dataDir }, areas, isJson: false, print: line => void lines.push(line) })
  const ofStore = lines.filter(line => !line.startsWith('ninefold.folder '))
  const others = lines.length - ofStore.length
  expect(ofStore).toEqual([expect.stringContaining(others === 0 ? 'nothing is wrong' : `${others} finding`)])
}
