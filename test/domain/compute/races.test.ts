import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds } from '../../areas/race.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms

beforeAll(async () => {
  tenant = await tenantVms(0, { later: each => void undo.push(each), retries: 10 })
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

/** Waits until no operation changes a machine; returns the status, or undefined for a deleted machine. */
async function rest(id: string): Promise<string | undefined> {
  const { api, ended, workspace } = tenant
  const filter = `resource_id = "${id}"`
  for (const operation of (await api.compute.listOperations({ filter, page_size: 100 })).operations)
    await ended(operation)
  const { vms } = await api.compute.listVms({ workspace, filter: `name = "${names.get(id)}"` })
  return vms[0]?.status.replace('NATIVE_VM_STATUS_', '')
}

const names = new Map<string, string>()

async function machine(round: number, kind: string, isStopped = false): Promise<string> {
  const { api, created, ended, subnet, workspace } = tenant
  const name = `${kind}-${round}`
  const { id } = await created(name, { network_interfaces: [{ subnet_id: subnet }] })
  names.set(id, name)
  if (isStopped) await ended(await api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 0 } }))
  return id
}

const busy = 'VM_OPERATION_IN_PROGRESS'
const invalid = 'VM_STATE_INVALID'

/** Expects no combinations of outcomes other than `allowed`. */
function expectOnly(outcomes: ReadonlyMap<string, number>, ...allowed: readonly string[]): void {
  console.log([...outcomes].map(([outcome, count]) => `${count} x ${outcome}`).join('; '))
  expect([...outcomes.keys()].filter(outcome => !allowed.includes(outcome))).toEqual([])
}

describe(`in ${raceRounds} rounds each`, () => {
  it('of two equal stops one is made', async () => {
    const { api, workspace } = tenant
    let id = ''
    const stop = () => api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 0 } })
    const outcomes = await race(
      raceRounds,
      async round => {
        id = await machine(round, 'stops')
        return [stop, stop]
      },
      async () => {
        expect(await rest(id)).toBe('STOPPED')
        await tenant.ended(await api.compute.deleteVm({ workspace, id }))
      },
    )
    // The first stop may have ended before the second stop begins.
    expectOnly(outcomes, `OK, ${busy}`, `${busy}, OK`, `OK, ${invalid}`, `${invalid}, OK`)
  })

  it('a stop and a suspension exclude each other', async () => {
    const { api, workspace } = tenant
    let id = ''
    const outcomes = await race(
      raceRounds,
      async round => {
        id = await machine(round, 'ends')
        return [
          () => api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 0 } }),
          () => api.compute.suspendVm({ workspace, id, body: {} }),
        ]
      },
      async outcome => {
        expect(await rest(id)).toBe(outcome.startsWith('OK') ? 'STOPPED' : 'SUSPENDED')
        await tenant.ended(await api.compute.deleteVm({ workspace, id }))
      },
    )
    const lost = [busy, invalid, 'VM_SAVED_STATE_EXISTS']
    expectOnly(outcomes, ...lost.flatMap(reason => [`OK, ${reason}`, `${reason}, OK`]))
  })

  it('a deletion wins against a stop', async () => {
    const { api, workspace } = tenant
    let id = ''
    const outcomes = await race(
      raceRounds,
      async round => {
        id = await machine(round, 'gone')
        return [() => api.compute.stopVm({ workspace, id, body: {} }), () => api.compute.deleteVm({ workspace, id })]
      },
      async () => expect(await rest(id)).toBeUndefined(),
    )
    expectOnly(outcomes, 'OK, OK', `${busy}, OK`, 'VM_NOT_FOUND, OK')
  })

  it('a start counts the memory before or after an update', async () => {
    const { api, get, workspace } = tenant
    let id = ''
    const outcomes = await race(
      raceRounds,
      async round => {
        id = await machine(round, 'grows', true)
        return [
          () => api.compute.updateVm({ workspace, id, update_mask: 'memory_mib', body: { memory_mib: 256 } }),
          () => api.compute.startVm({ workspace, id, body: {} }),
        ]
      },
      async outcome => {
        expect(await rest(id)).toBe('RUNNING')
        expect((await get(id)).memory_mib).toBe(outcome === 'OK, OK' ? 256 : 128)
        await tenant.ended(await api.compute.deleteVm({ workspace, id }))
      },
    )
    expectOnly(outcomes, 'OK, OK', `${busy}, OK`, 'VM_MUST_BE_STOPPED, OK')
  })

  it('of two machines of one name one is made', async () => {
    const { api, create, workspace } = tenant
    const outcomes = await race(
      raceRounds,
      async round => {
        const make = async () => {
          const { resource_id } = await create(`same-${round}`)
          names.set(resource_id, `same-${round}`)
        }
        return [make, make]
      },
      async (_outcome, round) => {
        const { vms } = await api.compute.listVms({ workspace, filter: `name = "same-${round}"` })
        expect(vms).toHaveLength(1)
        for (const { id } of vms) {
          await rest(id)
          await tenant.ended(await api.compute.deleteVm({ workspace, id }))
        }
      },
    )
    expectOnly(outcomes, 'OK, VM_ALREADY_EXISTS', 'VM_ALREADY_EXISTS, OK')
  })

  it('nothing is left but what the doctor expects', async () => {
    const { api, platform } = tenant
    expect(await doctorFindings(platform.config)).toEqual([])
    expect(await api.topology.getResourcePool({ id: 'local1-a-default' })).toMatchObject({ allocation_count: 0 })
  })
})
