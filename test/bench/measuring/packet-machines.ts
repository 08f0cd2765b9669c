import { createServer, type Socket } from 'node:net'
import { ethernet, ipv4, protocols, udp } from '../../domain/network/packets/frames.ts'

/**
 * This program stands for the machines of the bench of packets, in a process of its own: each machine listens on a unix
 * socket as QEMU does, sends UDP packets to the next machine as fast as the switch reads them, and counts the packets
 * that arrive. The program prints the number of packets that all machines have received, ten times a second.
 */

/** A machine, and the MAC address of its gateway. */
export interface BenchMachine {
  readonly path: string
  readonly ip: string
  readonly mac: string
  readonly gatewayMac: string
}

/** The machines, and the number of connections that each machine has at the same time. */
export interface BenchMachines {
  readonly machines: readonly BenchMachine[]
  readonly connections: number
}

/** The number of bytes behind the headers of a packet. */
const payloadBytes = 64
/** The length of a packet with its prefix, its Ethernet, IPv4 and UDP headers. */
const packetBytes = 4 + 14 + 20 + 8 + payloadBytes
/** The number of packets of a write. */
const burst = 512

let received = 0

/** Returns a packet of each connection of a machine, each behind its length. */
function packetsOf({ gatewayMac, ip, mac }: BenchMachine, to: string, connections: number): Buffer {
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(packetBytes - prefix.length)
  return Buffer.concat(
    Array.from({ length: connections }, (_, i) => {
      const content = udp(1024 + i, 53, Buffer.alloc(payloadBytes))
      return [prefix, ethernet(gatewayMac, mac, 0x0800, ipv4({ from: ip, to, protocol: protocols.UDP, content }))]
    }).flat(),
  )
}

function send(socket: Socket, packets: Buffer): void {
  let at = 0
  const more = (): void => {
    let isFree = true
    for (let i = 0; isFree && i < 4; i += 1) {
      const end = Math.min(at + burst * packetBytes, packets.length)
      isFree = socket.write(packets.subarray(at, end))
      at = end === packets.length ? 0 : end
    }
    // The machines take turns, so that each of them also reads.
    if (isFree) setImmediate(more)
    else socket.once('drain', more)
  }
  more()
}

function run({ connections, machines }: BenchMachines): void {
  for (const [i, machine] of machines.entries()) {
    const next = machines[(i + 1) % machines.length] ?? machine
    const packets = packetsOf(machine, next.ip, connections)
    const server = createServer(socket => {
      socket.on('data', bytes => {
        received += bytes.length / packetBytes
      })
      socket.on('error', () => {})
      setTimeout(() => send(socket, packets), 500)
    })
    server.listen(machine.path)
  }
  setInterval(() => process.stdout.write(`${Math.floor(received)}\n`), 100)
}

// `npm run bench packets` passes the machines as JSON.
run(JSON.parse(process.argv[2] ?? '') as BenchMachines)
