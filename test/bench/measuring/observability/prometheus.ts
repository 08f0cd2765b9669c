import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { freePort } from '../../../server/killed/processes.ts'
import { pin } from '../overload/pinned-server.ts'

/** A Prometheus that takes remote writes, in a process of its own. */
export interface Prometheus {
  readonly url: string
  close(): Promise<void>
}

/** Starts the Prometheus of the system on the first processor, as servers of the platform run; undefined if there is none. */
export async function startPrometheus(): Promise<Prometheus | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-prometheus-'))
  writeFileSync(join(folder, 'prometheus.yml'), '')
  const port = await freePort()
  const options = [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
  ]
  const child = spawn('prometheus', options, { stdio: 'ignore' })
  if (child.pid !== undefined) pin(child.pid, 0)
  let isAbsent = false
  child.once('error', () => (isAbsent = true))
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) break
    if (isAbsent) return undefined
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
    await nextPoll(50)
  }
  return {
    url,
    async close() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
