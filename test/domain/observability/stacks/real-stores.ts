import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../server/killed/processes.ts'
import { started } from '../../../server/programs.ts'
import { testFolder, type Later } from '../../../server/store/harness.ts'

/** A program of Debian that stores metrics. */
export interface StoreProgram {
  readonly program: string
  readonly healthPath: string
  /** Returns the arguments for a folder and a port of this host. */
  readonly arguments: (folder: string, port: number) => readonly string[]
}

/** The programs that serve the HTTP API of Prometheus and take remote write. */
export const storePrograms: readonly StoreProgram[] = [
  {
    program: 'prometheus',
    healthPath: '/-/ready',
    arguments: (folder, port) => [
      `--config.file=${emptyConfig(folder)}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
    ],
  },
  {
    program: 'victoria-metrics',
    healthPath: '/health',
    arguments: (folder, port) => [
      `-storageDataPath=${join(folder, 'data')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-search.latencyOffset=0s',
      '-search.disableCache',
    ],
  },
]

function emptyConfig(folder: string): string {
  const path = join(folder, 'prometheus.yml')
  writeFileSync(path, 'global: {}\n')
  return path
}

/** Starts a store on a free port of this host, waits until it serves, and returns its address; `later` ends it. */
export async function startStore(
  { arguments: given, healthPath, program }: StoreProgram,
  later: Later,
): Promise<string> {
  const port = await freePort()
  const { child, ended } = started(program, given(testFolder(later), port))
  later(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  const serves = async () => {
    const { ok } = await fetch(url + healthPath)
    if (!ok) throw new Error(`${program} does not serve yet`)
  }
  await vi.waitFor(serves, { timeout: 60_000, interval: 50 })
  return url
}
