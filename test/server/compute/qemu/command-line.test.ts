import { describe, expect, it } from 'vitest'
import type { DriverVm } from '../../../../domain/compute/drivers/driver.ts'
import { argumentsOf, isHardware, type HostFacts } from '../../../../server/compute/qemu/command-line.ts'
import { pins } from '../../../../server/compute/qemu/pinning.ts'
import { seedFiles } from '../../../../server/compute/qemu/seed.ts'
import { VmFolder } from '../../../../server/compute/qemu/vm-folder.ts'
import { tinyVm } from '../../../domain/compute/drivers/driver-contract.ts'

const host: HostFacts = { accelerator: 'tcg', nodes: [0, 1] }

const boot = { kind: 'boot' } as const

/** A text of a caller that would change the arguments of QEMU or a command of a shell. */
const hostile = 'x,server=off -netdev user\' "$(id)"\n;&'

/** Returns the values after each occurrence of an option. */
const valuesOf = (words: readonly string[], option: string): readonly string[] =>
  words.flatMap((word, i) => (word === option ? [words[i + 1] ?? ''] : []))

describe('the arguments of QEMU', () => {
  it('contain no text of a caller', () => {
    const more: Partial<DriverVm> = {
      name: hostile,
      metadata: { [hostile]: hostile, 'user-data': hostile },
      disks: [
        { name: '', size_gib: 1 },
        { name: hostile, size_gib: 1 },
      ],
      image: { name: hostile, boot_ms: 1, file: hostile },
    }
    const words = argumentsOf(tinyVm('quiet', more), host, boot)
    expect(words.filter(word => word.includes('$(id)') || word.includes('user') || word.includes('off'))).toEqual([
      '-no-user-config',
      'unix:qmp.sock,server=on,wait=off',
    ])
  })

  it.each<[string, Partial<DriverVm>]>([
    ['an id', { id: '../../etc' }],
    ['an interface', { interfaces: [{ name: '../nic0', port_id: 'p', mac_address: '02:00:00:00:00:01' }] }],
    ['a MAC address', { interfaces: [{ name: 'nic0', port_id: 'p', mac_address: '02:00:00:00:00:01,x' }] }],
    ['memory', { memory_mib: 0.5 }],
    ['processors', { vcpus: 3, cores_per_socket: 2 }],
    ['a node', { numa: [{ vcpus: 1, memory_mib: -1 }] }],
  ])('are refused for a malformed value: %s', (_name, more) => {
    expect(() => argumentsOf(tinyVm('malformed', more), host, boot)).toThrow()
  })

  it('give the guest no network of the host and no file outside of its folder', () => {
    const interfaces = ['nic0', 'nic1'].map((name, i) => ({ name, port_id: name, mac_address: `02:00:00:00:00:0${i}` }))
    const words = argumentsOf(tinyVm('alone', { interfaces }), host, boot)
    expect(valuesOf(words, '-netdev')).toEqual([
      'stream,id=nic0,server=on,addr.type=unix,addr.path=nic0.sock',
      'stream,id=nic1,server=on,addr.type=unix,addr.path=nic1.sock',
    ])
    expect(words.filter(word => word.includes('/'))).toEqual([])
    expect(words).toContain('-nodefaults')
  })

  it('have the topology of processors and memory, bound to the nodes that the host has', () => {
    const numa = [
      { vcpus: 1, memory_mib: 128, host_node: 1 },
      { vcpus: 3, memory_mib: 256, host_node: 7 },
    ]
    const vm = tinyVm('numa', { vcpus: 4, cores_per_socket: 1, threads_per_core: 2, memory_mib: 384, numa })
    const words = argumentsOf(vm, host, boot)
    expect(valuesOf(words, '-smp')).toEqual(['cpus=4,sockets=2,cores=1,threads=2'])
    expect(valuesOf(words, '-numa')).toEqual([
      'node,nodeid=0,cpus=0-0,memdev=mem0',
      'node,nodeid=1,cpus=1-3,memdev=mem1',
    ])
    expect(valuesOf(words, '-object').slice(0, 2)).toEqual([
      'memory-backend-ram,id=mem0,size=128M,host-nodes=1,policy=bind',
      'memory-backend-ram,id=mem1,size=256M',
    ])
  })

  it('do not depend on the order of the data disks, because a saved state needs one order', () => {
    const disks = ['', 'b', 'a'].map(name => ({ name, size_gib: 1 }))
    const [one, other] = [disks, disks.toReversed()].map(each =>
      argumentsOf(tinyVm('ordered', { disks: each }), host, boot),
    )
    expect(one).toEqual(other)
    expect(valuesOf(one ?? [], '-device')[0]).toBe('virtio-blk-pci,drive=boot,bootindex=1')
  })

  it.each(['pc-q35-7.2', 'pc-q35-10.0.1'])('name the hardware of a saved state: %s', hardware => {
    const words = argumentsOf(tinyVm('saved'), host, { kind: 'incoming', hardware })
    expect(valuesOf(words, '-machine')).toEqual([`${hardware},accel=tcg`])
    expect(valuesOf(words, '-incoming')).toEqual(['defer'])
  })

  it.each(['', 'q35', 'pc-q35-7.2,x', 'none'])('refuse another hardware: "%s"', hardware => {
    expect(isHardware(hardware)).toBe(false)
    expect(() => argumentsOf(tinyVm('saved'), host, { kind: 'incoming', hardware })).toThrow('hardware')
  })
})

describe('the data of cloud-init', () => {
  it('keeps its structure whatever a caller writes', () => {
    const interfaces = [{ name: 'nic0', port_id: 'p', mac_address: '02:00:00:00:00:01' }]
    const vm = tinyVm('seed', { name: 'web-1', interfaces, metadata: { 'ssh-keys': 'a: b\n\n- c\n', other: 'no' } })
    const { 'meta-data': meta, 'network-config': network, 'user-data': user } = seedFiles(vm)
    expect(JSON.parse(meta)).toEqual({
      'instance-id': vm.id,
      'local-hostname': 'web-1',
      'public-keys': ['a: b', '- c'],
    })
    const nic0 = { match: { macaddress: '02:00:00:00:00:01' }, dhcp4: true }
    expect(JSON.parse(network)).toEqual({ version: 2, ethernets: { nic0 } })
    expect(user).toBe('')
  })
})

describe('the pins of processors', () => {
  it('let each thread run on the host node of its guest node, and leave threads without a host node alone', () => {
    const numa = [
      { vcpus: 2, memory_mib: 128, host_node: 1 },
      { vcpus: 1, memory_mib: 128, host_node: 7 },
      { vcpus: 1, memory_mib: 128 },
    ]
    const threads = [3, 1, 0, 2].map(index => ({ index, thread: 100 + index }))
    expect(pins(numa, threads, node => (node === 1 ? '4-7' : undefined))).toEqual([
      { thread: 101, list: '4-7' },
      { thread: 100, list: '4-7' },
    ])
  })
})

describe('the folder of a machine', () => {
  it.each(['..', 'images', '../01a226eb-67fa-7119-b391-5945f9161f2f', ''])('is refused for "%s"', id => {
    expect(() => new VmFolder('/nowhere', id)).toThrow('is no id of a machine')
  })
})
