import type { ConnectionRecord } from '../../../domain/network/packets/connection-record.ts'
import { PacketCounts } from '../../../domain/network/packets/packet-counts.ts'
import { PacketSwitch, type ConnectedPort } from '../../../domain/network/packets/packet-switch.ts'
import { levels, type FromSwitch, type SwitchStart, type ToSwitch } from './messages.ts'
import { Wire } from './wire.ts'

/** The time between two sweeps of the connection table, in milliseconds. */
const sweepMs = 1000
/** The number of sweeps in which each place of the table is examined once. */
const sweepsOfAll = 30
/** The number of connection records that a second may have; further connections are only counted. */
const maxRecords = 1000

interface AttachedPort extends ConnectedPort {
  readonly wire: Wire
}

/** The switch with its wires, in the thread of the switch. */
export class SwitchLoop {
  readonly #switch: PacketSwitch
  readonly #post: (message: FromSwitch) => void
  readonly #ports = new Map<string, AttachedPort>()
  /** The wires with frames that wait for `flush`. */
  readonly #waiting = new Set<Wire>()
  readonly #levels: Float64Array
  readonly #free: number[]
  readonly #places: number
  #connected = 0
  #records: ConnectionRecord[] = []
  #lost = 0

  /** `post` sends a message to the server. */
  constructor({ isLogging, levels: memory, limits, seed, totals }: SwitchStart, post: (message: FromSwitch) => void) {
    const log = isLogging ? (record: ConnectionRecord) => this.#record(record) : undefined
    this.#switch = new PacketSwitch(limits, { totals: new PacketCounts(totals), log }, seed)
    this.#post = post
    this.#levels = new Float64Array(memory)
    this.#places = limits.connections
    this.#free = Array.from({ length: limits.ports }, (_, i) => limits.ports - 1 - i)
    setInterval(() => this.#sweep(), sweepMs)
  }

  /** Handles a message of the server. */
  handle(message: ToSwitch): void {
    switch (message.kind) {
      case 'attach':
        this.#attach(message.port, message.path)
        break
      case 'detach':
        this.#detach(message.port)
        break
      case 'vpc':
        this.#setVpc(message)
        break
      case 'forget':
        this.#switch.removeVpc(message.vpc)
    }
  }

  #attach(id: string, path: string): void {
    const before = this.#ports.get(id)
    if (before?.wire.path === path) return before.wire.open()
    if (before !== undefined) this.#detach(id)
    const number = this.#free.pop()
    if (number === undefined) return this.#post({ kind: 'full', port: id })
    const wire = this.#wireOf(path, () => port)
    const port: AttachedPort = {
      id,
      number,
      wire,
      counts: new PacketCounts(),
      send: (bytes, start, end) => {
        this.#waiting.add(wire)
        return wire.send(bytes, start, end)
      },
    }
    this.#ports.set(id, port)
    wire.open()
  }

  #wireOf(path: string, port: () => AttachedPort): Wire {
    let now = 0
    return new Wire(path, {
      connected: () => this.#connect(port()),
      disconnected: () => this.#disconnect(port()),
      frame: (bytes, start, end) => {
        // One reading of the clock serves all frames of a read.
        if (now === 0) now = performance.now()
        this.#switch.receive(port(), bytes, start, end, now)
      },
      oversize: () => this.#switch.drop(port(), 'oversize'),
      endOfRead: () => {
        now = 0
        this.#flush()
      },
    })
  }

  #connect(port: AttachedPort): void {
    this.#switch.connect(port)
    this.#setConnected(this.#connected + 1)
  }

  #disconnect(port: AttachedPort): void {
    this.#switch.disconnect(port)
    this.#setConnected(this.#connected - 1)
  }

  #detach(id: string): void {
    const port = this.#ports.get(id)
    if (port === undefined) return
    this.#ports.delete(id)
    port.wire.close()
    this.#switch.disconnect(port)
    this.#switch.release(port.number)
    this.#free.push(port.number)
    this.#post({ kind: 'detached', port: id, counts: port.counts.toJSON() })
  }

  #setVpc({ rows }: ToSwitch & { readonly kind: 'vpc' }): void {
    try {
      this.#switch.setVpc(rows)
    } catch (error) {
      this.#post({ kind: 'refused', vpc: rows.id, message: error instanceof Error ? error.message : '' })
    }
  }

  #setConnected(count: number): void {
    this.#connected = count
    this.#levels[levels.PORTS] = count
  }

  #flush(): void {
    for (const wire of this.#waiting) wire.flush()
    this.#waiting.clear()
    this.#levels[levels.CONNECTIONS] = this.#switch.connectionCount
  }

  #sweep(): void {
    this.#switch.sweep(Math.ceil(this.#places / sweepsOfAll), performance.now())
    this.#levels[levels.CONNECTIONS] = this.#switch.connectionCount
    if (this.#records.length === 0) return
    this.#post({ kind: 'records', records: this.#records, lost: this.#lost })
    this.#records = []
    this.#lost = 0
  }

  #record(record: ConnectionRecord): void {
    if (this.#records.length < maxRecords) this.#records.push(record)
    else this.#lost += 1
  }
}
