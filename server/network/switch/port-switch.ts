import { randomInt } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { ConnectionRecord } from '../../../domain/network/packets/connection-record.ts'
import type { ConnectionLimits } from '../../../domain/network/packets/connections.ts'
import { PacketCounts } from '../../../domain/network/packets/packet-counts.ts'
import type { PortWires } from '../../../domain/ports/network.ts'
import type { Store } from '../../../domain/ports/store.ts'
import type { Log } from '../../log.ts'
import { levels, levelsBytes, type FromSwitch, type SwitchStart, type ToSwitch } from './messages.ts'
import { VpcFeed } from './vpc-feed.ts'

/** The wait before a failed thread is started again, in milliseconds. */
const restartMs = 1000

/** The number of ports of a server. */
export const maxPorts = 1024

/** The parts of a switch. */
export interface PortSwitchParts {
  readonly store: Pick<Store, 'snapshot'>
  readonly log: Log
  readonly limits: Omit<ConnectionLimits, 'ports'>
  /**
   * Receives new connections that rules with `log` have matched, once a second, at most 1,000 of them; `lost` is the
   * number of further connections. Absent: connections are not recorded.
   */
  readonly record?: ((records: readonly ConnectionRecord[], lost: number) => void) | undefined
}

/**
 * The switch of this server: a thread with the sockets and the packets, and the feed of rows for the thread. The thread
 * starts with the first attached port, so a server without QEMU has no such thread.
 */
export class PortSwitch implements PortWires {
  /** The counts of all ports since the start of the server. */
  readonly totals: PacketCounts
  readonly #parts: PortSwitchParts
  readonly #start: SwitchStart
  readonly #levels: Float64Array
  readonly #feed: VpcFeed
  /** The path of the socket of each attached port, keyed by port. */
  readonly #paths = new Map<string, string>()
  #thread: Worker | undefined
  #restart: NodeJS.Timeout | undefined
  #isEnded = false
  #isFailing = false

  constructor(parts: PortSwitchParts) {
    const [totals, memory] = [new SharedArrayBuffer(PacketCounts.bytes), new SharedArrayBuffer(levelsBytes)]
    this.totals = new PacketCounts(totals)
    this.#parts = parts
    this.#levels = new Float64Array(memory)
    this.#start = {
      limits: { ...parts.limits, ports: maxPorts },
      seed: randomInt(2 ** 32),
      totals,
      levels: memory,
      isLogging: parts.record !== undefined,
    }
    this.#feed = new VpcFeed({
      store: parts.store,
      changed: rows => {
        this.#isFailing = false
        this.#post({ kind: 'vpc', rows })
      },
      gone: vpc => this.#post({ kind: 'forget', vpc }),
      failed: err => this.#feedFailed(err),
    })
  }

  /** The number of ports whose machines are connected. */
  get connectedPorts(): number {
    return this.#levels[levels.PORTS] ?? 0
  }

  /** The number of connections in the table of the firewall. */
  get connections(): number {
    return this.#levels[levels.CONNECTIONS] ?? 0
  }

  attach(portId: string, socketPath: string): void {
    if (this.#isEnded) return
    this.#paths.set(portId, socketPath)
    if (this.#thread === undefined && this.#restart === undefined) this.#startThread()
    else this.#post({ kind: 'attach', port: portId, path: socketPath })
    this.#feed.watch(portId)
  }

  detach(portId: string): void {
    if (!this.#paths.delete(portId)) return
    this.#feed.unwatch(portId)
    this.#post({ kind: 'detach', port: portId })
  }

  /** Ends the thread and its connections. Machines keep running without a network until another switch connects. */
  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#restart)
    await this.#feed.stop()
    await this.#thread?.terminate()
  }

  #startThread(): void {
    this.#restart = undefined
    // The ending is that of this file, because compiled code has another ending.
    const program = new URL(import.meta.url.replace(/[^/]*\.([^.]*)$/, 'switch-thread.$1'))
    const thread = new Worker(program, { workerData: this.#start, name: 'network switch' })
    this.#thread = thread
    thread.unref()
    thread.on('message', (message: FromSwitch) => this.#receive(message))
    thread.on('error', err => this.#parts.log.error({ err }, 'the network switch has failed, and is started again'))
    thread.once('exit', () => this.#threadEnded())
    for (const [port, path] of this.#paths) this.#post({ kind: 'attach', port, path })
  }

  #threadEnded(): void {
    this.#thread = undefined
    this.#levels.fill(0)
    if (this.#isEnded) return
    this.#restart = setTimeout(() => {
      this.#startThread()
      this.#feed.repeat()
    }, restartMs).unref()
  }

  #post(message: ToSwitch): void {
    this.#thread?.postMessage(message)
  }

  #receive(message: FromSwitch): void {
    const { log, record } = this.#parts
    switch (message.kind) {
      case 'detached':
        log.info({ port: message.port, frames: message.counts }, 'a logical port was detached from the network switch')
        break
      case 'full':
        log.error({ port: message.port }, `the network switch has ${maxPorts} ports already; the port has no network`)
        break
      case 'refused':
        log.error({ vpc: message.vpc, fault: message.message }, 'the network switch cannot use the rows of a VPC')
        break
      case 'records':
        record?.(message.records, message.lost)
    }
  }

  /** Logs the first of several failures in a row. */
  #feedFailed(err: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#parts.log.warn({ err }, 'the network switch cannot read changes of VPCs, and uses the former rules')
  }
}
