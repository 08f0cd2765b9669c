import { addLoadPlace } from '../../domain/compute/load/vm-lives.ts'
import { addZone } from '../../domain/compute/sites.ts'
import { tinyBody } from '../../domain/compute/tenant-vms.ts'
import { clockRounds } from './clock-rounds.ts'
import { measureRounds, median, type Contender } from './rounds.ts'
import { printGroup } from './table.ts'
import { overPlace, storeName } from './vm-bench-place.ts'
import { vmPlatform } from './vm-platform.ts'

const poolCount = 1000

/** A creation in the zone of many pools may take this multiple of one in a zone of one pool. */
const limit = 2

/**
 * Prints the time of createVm in a zone of one pool and in a zone of 1,000; it is CPU time on SQLite and time on the
 * clock on PostgreSQL. The machines take so long that their work only begins. Returns whether the limit was kept.
 */
export const printVmPools = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const { api, call, close } = await vmPlatform(place, 1000)
    later(close)
    const { workspace } = await addLoadPlace(api)
    const pool = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 }
    const part = { vcpus: 16, memory_mib: 2048, disk_gib: 64 }
    await addZone(api, 'one', [pool])
    const parts = Array.from({ length: poolCount }, () => part)
    await addZone(api, 'many', parts, { vcpus: 16 * poolCount, memory_mib: 2048 * poolCount, disk_gib: 64 * poolCount })
    await api.topology.updateResourcePool({
      id: 'one-0',
      update_mask: 'overcommit',
      body: { overcommit: { vcpus: 16, memory_mib: 1, disk_gib: 1 } },
    })
    let made = 0
    const create = (zone: string) => {
      const body = { ...tinyBody, name: `vm-${(made += 1)}`, zone, start_on_create: false }
      return call('POST', `/compute/v1/workspaces/${workspace}/engines/native/vms`, body)
    }
    const contenders: readonly Contender[] = [
      { name: 'a zone of one pool', units: 1, run: () => create('one') },
      { name: `a zone of ${poolCount} pools`, units: 1, run: () => create('many') },
    ]
    const times =
      storeUrl === undefined
        ? (await measureRounds(contenders, { rounds: 5, warmUp: 20 })).map(median)
        : await clockRounds(contenders, 150)
    printGroup(
      `createVm, ${storeName(storeUrl)}; limit ${limit} x`,
      contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
    )
    const [one = 0, many = 0] = times
    return many <= limit * one
  })
