import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../../server/killed/processes.ts'
import { started } from '../../../server/programs.ts'

/** A target of a job of Prometheus. */
export interface PeerJob {
  readonly job: string
  readonly target: string
  readonly honorLabels: boolean
  readonly labels: Readonly<Record<string, string>>
}

/** An element of an instant vector. */
export type PeerElement = readonly [labels: Readonly<Record<string, string>>, value: string]

/** A Prometheus that scrapes each target once a second. */
export interface PeerPrometheus extends AsyncDisposable {
  query(text: string): Promise<readonly PeerElement[]>
}

const configOf = (jobs: readonly PeerJob[]) => ({
  global: { scrape_interval: '1s', scrape_timeout: '1s' },
  scrape_configs: jobs.map(({ honorLabels, job, labels, target }) => ({
    job_name: job,
    honor_labels: honorLabels,
    static_configs: [{ targets: [target], labels }],
  })),
})

/** Starts Prometheus with jobs on a free port, and waits until it is ready. */
export async function peerPrometheus(jobs: readonly PeerJob[]): Promise<PeerPrometheus> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'ninefold-prometheus-'))
  const port = await freePort()
  // JSON is YAML.
  await writeFile(join(folder.path, 'prometheus.yml'), JSON.stringify(configOf(jobs)))
  const { child, ended } = started('prometheus', [
    `--config.file=${join(folder.path, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder.path, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  const url = `http://127.0.0.1:${port}`
  for (let i = 0; i < 300 && child.exitCode === null; i += 1) {
    if (
      await fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break
    await setTimeout(100)
  }
  return {
    async query(text) {
      const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(text)}`)
      const { data } = (await answer.json()) as {
        readonly data: {
          readonly result: readonly { readonly metric: PeerElement[0]; readonly value: [number, string] }[]
        }
      }
      return data.result.map(({ metric, value }) => [metric, value[1]] as const)
    },
    async [Symbol.asyncDispose]() {
      const closed = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await closed
      await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}
