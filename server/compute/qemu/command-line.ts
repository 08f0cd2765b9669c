import type { DriverVm, GuestNode } from '../../../domain/compute/drivers/driver.ts'
import type { Accelerator } from './accelerator.ts'
import { diskFile, diskNode, fileNames, interfaceSocket, isVmId } from './vm-folder.ts'

/** The facts of the host from which the arguments of QEMU follow. */
export interface HostFacts {
  readonly accelerator: Accelerator
  /** The numbers of the NUMA nodes that the host has. */
  readonly nodes: readonly number[]
}

/** The way in which the process of a guest begins. */
export type Beginning =
  /** The guest boots. */
  | { readonly kind: 'boot' }
  /** The guest waits for its saved state; `hardware` is the type of the virtual hardware that has the state. */
  | { readonly kind: 'incoming'; readonly hardware: string }

/** The type of the virtual hardware; QEMU takes the newest version of the type. */
const defaultHardware = 'q35'

/** The size of the ring in which QEMU keeps the last output of the serial port, in bytes. */
export const consoleBytes = 65_536

/**
 * Returns the arguments of QEMU for a machine. QEMU runs in the folder of the machine, and all paths are relative: the
 * path of a unix socket may have 107 bytes. The arguments contain checked numbers, MAC addresses and fixed names only,
 * and no text of a caller. The guest has no device of the host, and no network but the sockets of its interfaces.
 */
export function argumentsOf(vm: DriverVm, host: HostFacts, beginning: Beginning): readonly string[] {
  if (!isVmId(vm.id)) throw new Error(`"${vm.id.slice(0, 80)}" is no id of a machine`)
  const words: readonly (readonly string[])[] = [
    ['-nodefaults', '-no-user-config', '-display', 'none'],
    // A saved state is written by a child of QEMU, so QEMU may start processes.
    ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,resourcecontrol=deny'],
    ['-uuid', vm.id],
    ['-machine', `${hardwareOf(beginning)},accel=${host.accelerator}`, '-cpu', 'max'],
    processors(vm),
    ['-m', `size=${whole(vm.memory_mib)}M`],
    numa(vm.numa, host.nodes),
    // A guest that powers itself off leaves its process, so that the server finds the reason also after a restart.
    ['-action', 'shutdown=pause'],
    ['-qmp', `unix:${fileNames.monitor},server=on,wait=off`, '-pidfile', fileNames.process],
    ['-chardev', `ringbuf,id=console,size=${consoleBytes}`, '-serial', 'chardev:console'],
    // The disks are sorted by name, because a saved state needs the order of disks with which it was written; the boot
    // disk has an empty name and stays first.
    ...vm.disks
      .map(({ name }) => name)
      .toSorted()
      .map(blockDevice),
    ['-blockdev', `driver=raw,node-name=seed,read-only=on,file.driver=file,file.filename=${fileNames.seed}`],
    ['-device', 'virtio-blk-pci,drive=seed'],
    ...vm.interfaces.map(networkDevice),
    ['-object', 'rng-builtin,id=rng0', '-device', 'virtio-rng-pci,rng=rng0'],
    beginning.kind === 'incoming' ? ['-S', '-incoming', 'defer'] : [],
  ]
  return words.flat()
}

function hardwareOf(beginning: Beginning): string {
  if (beginning.kind === 'boot') return defaultHardware
  if (!isHardware(beginning.hardware)) throw new Error('the saved state has no known hardware')
  return beginning.hardware
}

/** Whether a text is a type of virtual hardware with its version. */
export const isHardware = (text: string): boolean => /^pc-q35-\d{1,3}(?:\.\d{1,3}){1,2}$/.test(text)

function processors({ cores_per_socket, threads_per_core, vcpus }: DriverVm): readonly string[] {
  const sockets = vcpus / cores_per_socket / threads_per_core
  const [cpus, cores, threads] = [whole(vcpus), whole(cores_per_socket), whole(threads_per_core)]
  return ['-smp', `cpus=${cpus},sockets=${whole(sockets)},cores=${cores},threads=${threads}`]
}

/** Returns the NUMA nodes of the guest. The memory of a guest node is bound to its host node, if the host has it. */
function numa(nodes: readonly GuestNode[], hostNodes: readonly number[]): readonly string[] {
  let cpu = 0
  return nodes.flatMap(({ host_node, memory_mib, vcpus }, i) => {
    const first = cpu
    cpu += whole(vcpus)
    const bound =
      host_node !== undefined && hostNodes.includes(host_node) ? `,host-nodes=${whole(host_node)},policy=bind` : ''
    const memory = `memory-backend-ram,id=mem${i},size=${whole(memory_mib)}M${bound}`
    return ['-object', memory, '-numa', `node,nodeid=${i},cpus=${first}-${cpu - 1},memdev=mem${i}`]
  })
}

const blockDevice = (disk: string): readonly string[] => [
  '-blockdev',
  `driver=qcow2,node-name=${diskNode(disk)},discard=unmap,file.driver=file,file.filename=${diskFile(disk)}`,
  '-device',
  `virtio-blk-pci,drive=${diskNode(disk)}${disk === '' ? ',bootindex=1' : ''}`,
]

/**
 * Returns the arguments of a network interface. QEMU listens and the switch of the server connects, so that a guest
 * outlives its server.
 */
function networkDevice({ mac_address, name }: DriverVm['interfaces'][number]): readonly string[] {
  if (!/^[\da-f]{2}(?::[\da-f]{2}){5}$/.test(mac_address)) throw new Error(`${name} has no MAC address`)
  const device = `virtio-net-pci,netdev=${name},mac=${mac_address}${name === 'nic0' ? ',bootindex=2' : ''}`
  const socket = `stream,id=${name},server=on,addr.type=unix,addr.path=${interfaceSocket(name)}`
  return ['-netdev', socket, '-device', device]
}

/** Returns the number. Throws unless the number is whole and not negative. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} is no amount of a machine`)
  return value
}
