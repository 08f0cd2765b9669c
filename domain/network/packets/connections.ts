import type { Flow } from './flow.ts'
import { ipProtocols, tcpFlags } from './ipv4-packet.ts'

/** The limits of the connection table. */
export interface ConnectionLimits {
  /** The number of connections in all. */
  readonly connections: number
  /** The number of connections that one port may have begun. */
  readonly connectionsPerPort: number
  /** The number of ports. */
  readonly ports: number
}

/** The idle times in milliseconds after which a connection ends (network.md 6). */
export const idleMs = { TCP: 3_600_000, UDP: 60_000, ICMP: 30_000 } as const
/** The idle time of a TCP connection that both ends have closed, or that one end has reset. */
const closedMs = 30_000

/** Marks the absence of a connection, a list member or a bucket member. */
export const none = -1

/** The words of a key: VPC, protocol number, lower address, higher address, both ports. */
const keyWords = 5

/** The marks of a connection. `FIRST_IS_HIGH`: the higher end of the key has begun the connection. */
const marks = { FIRST_IS_HIGH: 1, FIN_OF_LOW: 2, FIN_OF_HIGH: 4, RESET: 8 } as const

/**
 * The connections of the firewall, in arrays of a fixed size, so that hostile traffic never grows memory. A connection
 * has a number, belongs to the port that has begun the connection, and is found from both directions. When a port has
 * its limit of connections, its next connection replaces the least recently used connection of the port. When the table
 * is full, the next connection replaces the least recently used connection of the port with the most connections, so a
 * flood displaces its own connections first.
 */
export class ConnectionTable {
  readonly #limits: ConnectionLimits
  readonly #seed: number
  readonly #keys: Uint32Array
  readonly #seenAt: Float64Array
  readonly #generations: Uint32Array
  readonly #marks: Uint8Array
  readonly #owners: Int32Array
  /** The next connection in the same bucket, or in the list of free connections. */
  readonly #chains: Int32Array
  readonly #buckets: Int32Array
  /** The neighbours in the list of a port, from the least to the most recently used connection. */
  readonly #older: Int32Array
  readonly #newer: Int32Array
  readonly #oldest: Int32Array
  readonly #newest: Int32Array
  readonly #counts: Int32Array
  readonly #key = new Uint32Array(keyWords)
  #isSourceHigh = false
  #free = 0
  #size = 0
  #swept = 0

  /** `seed` is a random number, so that guests cannot choose flows that share a bucket. */
  constructor(limits: ConnectionLimits, seed: number) {
    const { connections, ports } = limits
    const list = (length: number) => new Int32Array(length).fill(none)
    this.#limits = limits
    this.#seed = seed | 1
    this.#keys = new Uint32Array(connections * keyWords)
    this.#seenAt = new Float64Array(connections)
    this.#generations = new Uint32Array(connections)
    this.#marks = new Uint8Array(connections)
    this.#owners = list(connections)
    this.#chains = Int32Array.from({ length: connections }, (_, i) => (i + 1 < connections ? i + 1 : none))
    this.#buckets = list(2 ** Math.ceil(Math.log2(connections + 1)))
    this.#older = list(connections)
    this.#newer = list(connections)
    this.#oldest = list(ports)
    this.#newest = list(ports)
    this.#counts = new Int32Array(ports)
  }

  /** The number of connections, some of which may have been idle for too long. */
  get size(): number {
    return this.#size
  }

  /** Returns the number of the connections that a port has begun. */
  countOf(port: number): number {
    return this.#counts[port] ?? 0
  }

  /** Returns the connection of a flow in either direction; `none` if it does not exist or has been idle for too long. */
  find(flow: Flow, now: number): number {
    this.#readKey(flow)
    let connection = this.#buckets[this.#bucket()] ?? none
    while (connection !== none && !this.#hasKey(connection)) connection = this.#chains[connection] ?? none
    if (connection === none || !this.#isIdle(connection, now)) return connection
    this.remove(connection)
    return none
  }

  /** Returns whether the source of the flow has begun its connection, which `find` has returned. */
  isBegunBySource(connection: number): boolean {
    return this.#isSourceHigh === this.#has(connection, marks.FIRST_IS_HIGH)
  }

  /** Returns the generation of the rules that have allowed a connection. */
  generationOf(connection: number): number {
    return this.#generations[connection] ?? 0
  }

  /** Sets the generation of the rules that allow a connection. */
  allow(connection: number, generation: number): void {
    this.#generations[connection] = generation
  }

  /** Adds a connection that the source of the flow begins from a port. `find` must just have returned `none`. */
  add(flow: Flow, port: number, generation: number, now: number): number {
    if (this.countOf(port) >= this.#limits.connectionsPerPort) this.remove(this.#oldest[port] ?? none)
    else if (this.#free === none) this.remove(this.#oldest[this.#busiestPort()] ?? none)
    this.#readKey(flow)
    const connection = this.#free
    const bucket = this.#bucket()
    this.#free = this.#chains[connection] ?? none
    this.#keys.set(this.#key, connection * keyWords)
    this.#seenAt[connection] = now
    this.#generations[connection] = generation
    this.#marks[connection] = this.#isSourceHigh ? marks.FIRST_IS_HIGH : 0
    this.#owners[connection] = port
    this.#chains[connection] = this.#buckets[bucket] ?? none
    this.#buckets[bucket] = connection
    this.#counts[port] = this.countOf(port) + 1
    this.#size += 1
    this.#append(connection, port)
    return connection
  }

  /** Notes a packet of a connection, which `find` or `add` has returned for the flow, with its TCP flags. */
  touch(connection: number, flags: number, now: number): void {
    const port = this.#owners[connection] ?? 0
    this.#seenAt[connection] = now
    if ((flags & (tcpFlags.FIN | tcpFlags.RST | tcpFlags.SYN)) !== 0) this.#note(connection, flags)
    if (this.#newest[port] === connection) return
    this.#unlink(connection, port)
    this.#append(connection, port)
  }

  /** Removes a connection. */
  remove(connection: number): void {
    const port = this.#owners[connection] ?? none
    if (port === none) return
    this.#key.set(this.#keys.subarray(connection * keyWords, (connection + 1) * keyWords))
    this.#unchain(connection, this.#bucket())
    this.#unlink(connection, port)
    this.#owners[connection] = none
    this.#counts[port] = this.countOf(port) - 1
    this.#size -= 1
    this.#chains[connection] = this.#free
    this.#free = connection
  }

  /** Removes all connections that a port has begun. */
  removeOf(port: number): void {
    while (this.countOf(port) > 0) this.remove(this.#oldest[port] ?? none)
  }

  /** Examines the next `count` places of the table, and removes connections that have been idle for too long. */
  sweep(count: number, now: number): void {
    const { length } = this.#owners
    for (let i = 0; i < Math.min(count, length); i += 1) {
      this.#swept = (this.#swept + 1) % length
      if (this.#owners[this.#swept] !== none && this.#isIdle(this.#swept, now)) this.remove(this.#swept)
    }
  }

  #busiestPort(): number {
    let busiest = 0
    for (let port = 1; port < this.#counts.length; port += 1)
      if (this.countOf(port) > this.countOf(busiest)) busiest = port
    return busiest
  }

  /** Marks a connection as closed by an end or as reset; a SYN opens a closed connection again. */
  #note(connection: number, flags: number): void {
    const before = this.#marks[connection] ?? 0
    const first = before & marks.FIRST_IS_HIGH
    if ((flags & tcpFlags.SYN) !== 0) this.#marks[connection] = first
    else if ((flags & tcpFlags.RST) !== 0) this.#marks[connection] = before | marks.RESET
    else this.#marks[connection] = before | (this.#isSourceHigh ? marks.FIN_OF_HIGH : marks.FIN_OF_LOW)
  }

  #isIdle(connection: number, now: number): boolean {
    return now - (this.#seenAt[connection] ?? 0) >= this.#patienceOf(connection)
  }

  #patienceOf(connection: number): number {
    const number = this.#keys[connection * keyWords + 1]
    if (number === ipProtocols.ICMP) return idleMs.ICMP
    if (number !== ipProtocols.TCP) return idleMs.UDP
    const isClosed = this.#has(connection, marks.FIN_OF_LOW) && this.#has(connection, marks.FIN_OF_HIGH)
    return isClosed || this.#has(connection, marks.RESET) ? closedMs : idleMs.TCP
  }

  #has(connection: number, mark: number): boolean {
    return ((this.#marks[connection] ?? 0) & mark) !== 0
  }

  /** Writes the key of a flow, which is equal for both directions: the end with the lower address comes first. */
  #readKey({ destination, destinationPort, number, source, sourcePort, vpc }: Flow): void {
    const [one, other] = [source >>> 0, destination >>> 0]
    const isHigh = one > other || (one === other && sourcePort > destinationPort)
    this.#isSourceHigh = isHigh
    this.#key[0] = vpc
    this.#key[1] = number
    this.#key[2] = isHigh ? other : one
    this.#key[3] = isHigh ? one : other
    this.#key[4] = isHigh ? (destinationPort << 16) | sourcePort : (sourcePort << 16) | destinationPort
  }

  #bucket(): number {
    let hash = this.#seed
    for (let i = 0; i < keyWords; i += 1) {
      hash = Math.imul(hash ^ (this.#key[i] ?? 0), 0x85ebca6b)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash, 0xc2b2ae35)
    return (hash ^ (hash >>> 13)) & (this.#buckets.length - 1)
  }

  #hasKey(connection: number): boolean {
    const start = connection * keyWords
    for (let i = 0; i < keyWords; i += 1) if (this.#keys[start + i] !== this.#key[i]) return false
    return true
  }

  #unchain(connection: number, bucket: number): void {
    const after = this.#chains[connection] ?? none
    let before = this.#buckets[bucket] ?? none
    if (before === connection) {
      this.#buckets[bucket] = after
      return
    }
    while (before !== none && this.#chains[before] !== connection) before = this.#chains[before] ?? none
    if (before !== none) this.#chains[before] = after
  }

  #append(connection: number, port: number): void {
    const last = this.#newest[port] ?? none
    this.#older[connection] = last
    this.#newer[connection] = none
    this.#newest[port] = connection
    if (last === none) this.#oldest[port] = connection
    else this.#newer[last] = connection
  }

  #unlink(connection: number, port: number): void {
    const [older, newer] = [this.#older[connection] ?? none, this.#newer[connection] ?? none]
    if (older === none) this.#oldest[port] = newer
    else this.#newer[older] = newer
    if (newer === none) this.#newest[port] = older
    else this.#older[newer] = older
  }
}
