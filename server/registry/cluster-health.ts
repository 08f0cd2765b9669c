import type { OpenedArea } from '../area-declaration.ts'
import type { Log } from '../log.ts'
import type { EngineSetting } from './cluster-client.ts'
import { sendRequest } from '../outgoing-request.ts'

/** The time between two checks of a cluster in milliseconds. */
const everyMs = 10_000

/** The time for the answer to a check in milliseconds. */
const patienceMs = 5000

/** Watches the clusters of engines until the server closes. */
export function watchClusters(engines: readonly EngineSetting[], log: Pick<Log, 'info' | 'warn'>): OpenedArea {
  const health = new ClusterHealth(engines, log)
  return { notices: [], degradation: () => health.degradation(), close: () => health.close() }
}

/** Asks each cluster every ten seconds whether it answers, for `/readyz` and the log. */
class ClusterHealth {
  readonly #engines: readonly EngineSetting[]
  readonly #log: Pick<Log, 'info' | 'warn'>
  readonly #down = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(engines: readonly EngineSetting[], log: Pick<Log, 'info' | 'warn'>) {
    this.#engines = engines
    this.#log = log
    if (engines.length === 0) return
    this.#timer = setInterval(() => void this.#check(), everyMs).unref()
    void this.#check()
  }

  degradation(): string | undefined {
    const [first] = this.#down
    return first === undefined ? undefined : `the cluster of engine ${first} of the registry does not answer`
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    await Promise.all(this.#engines.map(engine => this.#checkOne(engine)))
  }

  /** Without a token, a cluster that works answers 401. */
  async #checkOne({ name, url }: EngineSetting): Promise<void> {
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await sendRequest(`${url.replace(/\/+$/, '')}/v2/`, { signal }).catch(() => undefined)
    await answer?.body?.cancel()
    const isUp = answer !== undefined && (answer.ok || (answer.status >= 400 && answer.status < 500))
    if (isUp === !this.#down.has(name)) return
    if (isUp) {
      this.#down.delete(name)
      this.#log.info({ engine: name }, 'the cluster of an engine of the registry answers again')
    } else {
      this.#down.add(name)
      this.#log.warn({ engine: name }, 'the cluster of an engine of the registry does not answer')
    }
  }
}
