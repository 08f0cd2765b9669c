import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import type { RemoteStore } from '../../../../domain/storage/remote-store/remote-store.ts'
import { openS3Store } from '../../../../server/storage/s3/s3-store.ts'
import { started } from '../../programs.ts'
import { freePort } from '../../registry/clients/distribution-cluster.ts'
import { hasPrograms } from '../../registry/clients/oci-programs.ts'
import { testFolder, type Later } from '../../store/harness.ts'

/** Whether the gateway is installed; without it, the tests of a real store are skipped. */
export const hasGateway = hasPrograms('the engine s3', 'versitygw')

/** The keys of the account. */
export const keys = { access_key_id: 'gateway-key', secret_access_key: 'gateway-secret-words' } as const

/** A running S3 store: a gateway of Versity over a folder. */
export interface Gateway {
  readonly url: string
  /** The folder with a folder for each bucket. */
  readonly folder: string
  /** The account of the platform. */
  readonly account: RemoteStore
  /** Sends a signal to the process: SIGSTOP, SIGCONT or SIGKILL. */
  signal(name: NodeJS.Signals): void
  /** Starts the process again at the same address. */
  restart(): Promise<void>
}

/** Starts a gateway on a port of 127.0.0.1; `later` ends it. */
export async function startGateway(later: Later = onTestFinished): Promise<Gateway> {
  const folder = testFolder(later)
  const [data, versions] = [join(folder, 'data'), join(folder, 'versions')]
  for (const each of [data, versions]) mkdirSync(each)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const running: { child?: ChildProcess; ended?: Promise<unknown> } = {}
  const start = async (): Promise<void> => {
    const account = ['--access', keys.access_key_id, '--secret', keys.secret_access_key]
    const listener = ['--port', `127.0.0.1:${port}`, '--health', '/healthz', '--quiet']
    const { child, ended } = started('versitygw', [
      ...listener,
      ...account,
      'posix',
      '--versioning-dir',
      versions,
      data,
    ])
    running.child = child
    running.ended = ended
    await untilAnswering(url)
  }
  await start()
  const place = { endpoint: url, region: 'us-east-1', forcePathStyle: true, storageClass: '' }
  const account = await openS3Store(place, { accessKeyId: keys.access_key_id, secretAccessKey: keys.secret_access_key })
  later(async () => {
    account.close()
    running.child?.kill('SIGCONT')
    running.child?.kill('SIGKILL')
    await running.ended
  })
  return {
    url,
    folder: data,
    account,
    signal: name => void running.child?.kill(name),
    async restart() {
      await running.ended
      await start()
    },
  }
}

async function untilAnswering(url: string): Promise<void> {
  const until = performance.now() + 60_000
  while ((await fetch(`${url}/healthz`).catch(() => undefined))?.status !== 200) {
    if (performance.now() > until) throw new Error(`no S3 store answers at ${url}`)
    await nextPoll(20)
  }
}
