import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../log.ts'
import type { Readiness } from '../vitals.ts'
import type { FromThread, ThreadSettings, ToThread } from './messages.ts'

/** The reports of a server about its health. */
export interface HealthReports {
  readonly readiness: () => Promise<Readiness>
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
}

/** A listener for health and metrics in a thread of its own. */
export interface HealthListener {
  /** The URL of the listener: `http://127.0.0.1:9090`. */
  readonly url: string
  /** Reports the readiness now, in addition to the regular reports. */
  report(): void
  close(): Promise<void>
}

/** The interval between two reports of the server in milliseconds. A report costs a test write to the store. */
const reportMs = 1000

/**
 * Listens for requests about health and metrics in a thread, which answers from the last reports of the server while
 * the event loop of the server is busy. Throws the error of an address that cannot be used.
 */
export async function listenForHealth(
  { host, port }: { readonly host: string; readonly port: number },
  isPublic: boolean,
  { metrics, readiness }: HealthReports,
  log: Log,
): Promise<HealthListener> {
  const workerData: ThreadSettings = { host, port, isPublic }
  const thread = new Worker(new URL(`./health-thread${extname(import.meta.filename)}`, import.meta.url), { workerData })
  const post = (message: ToThread): void => thread.postMessage(message)
  const report = (): void => {
    post({ kind: 'beat' })
    readiness().then(
      told => post({ kind: 'readiness', readiness: told }),
      (err: unknown) => log.error({ err }, 'the readiness could not be reported'),
    )
  }
  const reportMetrics = (): Promise<void> =>
    metrics().then(
      text => post({ kind: 'metrics', text }),
      (err: unknown) => log.warn({ err }, 'the metrics could not be reported'),
    )
  const [first]: FromThread[] = await once(thread, 'message')
  if (first?.kind !== 'listening') {
    await thread.terminate()
    throw Object.assign(new Error(first?.kind === 'failed' ? first.message : 'the health listener did not start'), {
      code: first?.kind === 'failed' ? first.code : '',
    })
  }
  thread.on('message', () => void reportMetrics())
  thread.on('error', err => log.error({ err }, 'the health listener has ended'))
  await reportMetrics()
  report()
  const timer = setInterval(report, reportMs).unref()
  return {
    url: first.url,
    report,
    async close() {
      clearInterval(timer)
      await thread.terminate()
    },
  }
}
