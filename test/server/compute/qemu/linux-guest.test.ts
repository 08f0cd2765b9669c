import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeSettings } from '../../../../server/compute/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuTenant } from './qemu-zone.ts'

/** The disk that `linux-guest/make-disk.sh` makes, which `.ci/run` does. */
const disk = process.env['NINEFOLD_LINUX_GUEST']

if (disk === undefined) console.warn('tests with Linux guests are skipped: NINEFOLD_LINUX_GUEST names no disk')

const images = [{ name: 'linux', os: 'Linux', min_disk_gib: 1, min_memory_mib: 128, boot_ms: 5000, file: disk ?? '' }]

/** The program of the guests: a line for each look at the disk and for each ping of the other guest. */
const watching = (peer: string): string => `#!/bin/sh
n=0
while :; do
  n=$((n + 1))
  ping -c 1 -W 1 ${peer} >/dev/null && echo "guest: reached ${peer} $n" || echo "guest: lost ${peer} $n"
  echo "guest: look $n at $(cat /sys/block/vda/size)"
  sleep 1
done
`

const sectors = (gib: number): number => gib * 2 ** 21

const node = { vcpus: 1, memory_mib: 128 }

/** A Linux guest under translation of code takes a minute on a loaded machine. */
const patience = { timeout: 240_000, interval: 250 }

describe.skipIf(lacksQemu || disk === undefined)('Linux guests of QEMU', () => {
  it('see their devices, data and network, and go on after a suspension', { timeout: 600_000 }, async () => {
    const given = new GivenSettings().with(computeSettings['compute.images_file'], images)
    const { api, created, ended, folder, get, subnet, workspace } = await qemuTenant({ given })
    const guest = (name: string, peer: string) =>
      created(name, {
        zone: 'host-a',
        boot_disk: { image: 'linux' },
        cpu: { count: 2 },
        memory_mib: 256,
        numa: { nodes: [node, node] },
        network_interfaces: [{ subnet_id: subnet }],
        metadata: { 'user-data': watching(peer), 'ssh-keys': 'ssh-ed25519 AAAA first\nssh-ed25519 BBBB second\n' },
      })
    const { vpcs } = await api.network.listVpcs({ workspace, engine: 'native' })
    const policy = await api.network.createFirewallPolicy({
      workspace,
      engine: 'native',
      body: { name: 'pings', vpc_id: vpcs[0]?.id ?? '' },
    })
    const add = (name: string, priority: number, action: 'ALLOW' | 'DENY') =>
      api.network.addFirewallPolicyRule({
        workspace,
        engine: 'native',
        firewall_policy: policy.resource_id,
        body: {
          rule: {
            name,
            priority,
            direction: 'NETWORK_FIREWALL_DIRECTION_INGRESS',
            action: `NETWORK_FIREWALL_ACTION_${action}`,
            protocols: [{ protocol: 'NETWORK_PROTOCOL_ICMP' }],
          },
        },
      })
    await add('allow', 1000, 'ALLOW')

    const first = await guest('linux-1', '10.20.1.3')
    const second = await guest('linux-2', '10.20.1.2')
    const printed = ({ id }: { readonly id: string }): readonly string[] => {
      const file = join(folder, id, 'console.log')
      return existsSync(file) ? readFileSync(file, 'utf8').split(/\r?\n/) : []
    }
    const lastLook = (): number =>
      Number(
        printed(first)
          .findLast(line => line.includes(' look '))
          ?.split(' ')[2] ?? 0,
      )
    const prints = (machine: { readonly id: string }, text: string | RegExp): Promise<void> =>
      expect.poll(() => printed(machine).join('\n'), patience).toMatch(text)

    for (const [i, machine] of [first, second].entries()) {
      const [{ mac_address = '' } = {}] = machine.network_interfaces
      await prints(machine, `guest: address 10.20.1.${i + 2}/24 ${mac_address}`)
      await prints(machine, /guest: cpus 2/)
      await prints(machine, /guest: nodes 2/)
      await prints(machine, `guest: disk ${sectors(1)}`)
      const seed = printed(machine).find(line => line.startsWith('guest: seed '))
      expect(JSON.parse(seed?.slice('guest: seed '.length) ?? '')).toEqual({
        'instance-id': machine.id,
        'local-hostname': machine.name,
        'public-keys': ['ssh-ed25519 AAAA first', 'ssh-ed25519 BBBB second'],
      })
    }

    const to = { workspace, id: first.id, body: {} }
    await ended(
      await api.compute.updateVm({ ...to, update_mask: 'boot_disk.size_gib', body: { boot_disk: { size_gib: 3 } } }),
    )
    await prints(first, new RegExp(`look \\d+ at ${sectors(3)}`))

    await prints(first, 'guest: reached 10.20.1.3')
    await prints(second, 'guest: reached 10.20.1.2')
    await add('deny', 10, 'DENY')
    const lines = printed(first).length
    await expect.poll(() => printed(first).slice(lines).join('\n'), patience).toMatch('guest: lost 10.20.1.3')

    await ended(await api.compute.suspendVm(to))
    const before = lastLook()
    await ended(await api.compute.resumeVm(to))
    await expect.poll(lastLook, patience).toBeGreaterThan(before + 1)
    // The guest went on: its first process has printed its first line once.
    expect(printed(first).filter(line => line.startsWith('guest: cpus'))).toHaveLength(1)
    expect(await get(first.id)).toMatchObject({ boot_count: 1, status: 'NATIVE_VM_STATUS_RUNNING' })

    const stop = await ended(await api.compute.stopVm(to))
    expect(stop).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', warnings: [] })
  })
})
