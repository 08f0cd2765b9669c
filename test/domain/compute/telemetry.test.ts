import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machines } from '../../../domain/compute/drivers/simulated/machines-store.ts'
import type { LogLine, MetricSample, Observability } from '../../../domain/ports/observability.ts'
import { areas } from '../../../server/areas.ts'
import { diskFolderOf } from '../../../server/compute/disk-folder.ts'
import { observabilityArea } from '../../../server/observability/area.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { oftenSampled, tenantVms, vmCalls, type TenantVms } from './tenant-vms.ts'

/** An area of observability that records the telemetry of each workspace. */
class Recorder implements Observability {
  readonly samples: (MetricSample & { readonly workspace: string })[] = []
  readonly lines: (LogLine & { readonly workspace: string })[] = []

  readonly ingest: Observability['ingest'] = async (workspace, { logs = [], metrics = [] }) => {
    this.samples.push(...metrics.map(sample => ({ ...sample, workspace })))
    this.lines.push(...logs.map(line => ({ ...line, workspace })))
  }

  /** The serial texts of a machine in the order of their arrival. A line that was sent again counts once. */
  textsOf(vm: string): readonly string[] {
    const lines = this.lines.filter(({ labels }) => labels.resource_id === vm)
    return [...new Map(lines.map(each => [`${each.time} ${each.line}`, each.line])).values()]
  }

  /** The values of a metric of a machine in the order of their arrival. */
  valuesOf(name: string, vm: string): readonly number[] {
    return this.samples
      .filter(sample => sample.name === `platform_compute_vm_${name}` && sample.labels['resource_id'] === vm)
      .map(({ value }) => value)
  }
}

describe('beside an area that takes telemetry', () => {
  const undo: (() => void | Promise<void>)[] = []
  const recorder = new Recorder()
  let tenant: TenantVms

  beforeAll(async () => {
    const mounted = areas.map(area =>
      area.domain.name === 'observability' ? observabilityArea({ telemetry: recorder }) : area,
    )
    const later = (each: () => void | Promise<void>) => void undo.push(each)
    tenant = await tenantVms(0, { later, areas: mounted, config: { given: oftenSampled() } })
  })

  afterAll(async () => {
    for (const each of undo.toReversed()) await each()
  })

  it('the guest writes its boots and its shutdown, and the lines have the labels of its stream', async () => {
    const { api, created, ended, workspace } = tenant
    const { id } = await created('web-1')
    await ended(await api.compute.resetVm({ workspace, id, body: {} }))
    await ended(await api.compute.stopVm({ workspace, id, body: {} }))
    const boot = ['SeaBIOS (simulated)', 'boot']
    const down = ['ACPI: power button pressed', 'The system is going down for power off', 'reboot: Power down']
    await expect.poll(() => recorder.textsOf(id)).toEqual([...boot, ...boot, ...down])
    const lines = recorder.lines.filter(({ labels }) => labels.resource_id === id)
    for (const line of lines)
      expect(line).toMatchObject({
        workspace,
        labels: { service_name: 'compute.vms', resource_id: id, stream: 'serial' },
      })
    expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).toSorted((a, b) => a - b))
  })

  it('a guest that powers itself off says so, and one that ignores the power button says nothing', async () => {
    const { api, created, ended, workspace } = tenant
    const { id } = await created('leaves', { metadata: { 'sim.guest-shutdown-after-ms': '100' } })
    await expect.poll(() => recorder.textsOf(id)).toContain('reboot: Power down')
    const { id: deaf } = await created('deaf', { metadata: { 'sim.ignore-acpi': 'true' } })
    await expect.poll(() => recorder.textsOf(deaf)).toHaveLength(2)
    const stop = { workspace, id: deaf, body: { grace_period_seconds: 1 } }
    await ended(await api.compute.stopVm(stop))
    const { id: after } = await created('after')
    await expect.poll(() => recorder.textsOf(after)).toHaveLength(2)
    expect(recorder.textsOf(deaf)).toHaveLength(2)
  })

  it('a running machine has all metrics, and a stopped machine has no usage', async () => {
    const { api, created, ended, workspace } = tenant
    const { id } = await created('measured', { memory_mib: 1024 })
    await expect.poll(() => recorder.valuesOf('memory_used_mib', id).length).toBeGreaterThan(0)
    const { samples } = recorder
    const first = samples.find(({ labels }) => labels['resource_id'] === id)
    expect(first).toMatchObject({ workspace, labels: { resource_id: id, vm_name: 'measured' } })
    expect(recorder.valuesOf('boots_total', id).at(-1)).toBe(1)
    expect(recorder.valuesOf('up', id)).toContain(1)
    for (const share of recorder.valuesOf('cpu_utilization', id)) {
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(1)
    }
    for (const used of recorder.valuesOf('memory_used_mib', id)) {
      expect(used).toBeGreaterThan(0)
      expect(used).toBeLessThanOrEqual(1024)
    }
    await ended(await api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 0 } }))
    await expect.poll(() => recorder.valuesOf('up', id).at(-1)).toBe(0)
    const usages = recorder.valuesOf('cpu_utilization', id).length
    const ups = recorder.valuesOf('up', id).length
    await expect.poll(() => recorder.valuesOf('up', id).length).toBeGreaterThan(ups)
    expect(recorder.valuesOf('cpu_utilization', id)).toHaveLength(usages)
    expect(new Set(samples.map(({ name, type }) => `${type} ${name}`))).toEqual(
      new Set([
        'GAUGE platform_compute_vm_up',
        'COUNTER platform_compute_vm_boots_total',
        'GAUGE platform_compute_vm_cpu_utilization',
        'GAUGE platform_compute_vm_memory_used_mib',
      ]),
    )
  })

  it('each workspace gets the telemetry of its own machines alone', async () => {
    const { api, workspace } = tenant
    const { workspace: other } = await addTenant(api, 'other')
    const { id } = await vmCalls(api, other).created('web-1')
    await expect.poll(() => recorder.valuesOf('up', id)).toContain(1)
    await expect.poll(() => recorder.textsOf(id)).toHaveLength(2)
    const of = (vm: { readonly workspace: string }, labels: Readonly<Record<string, string>>) =>
      (labels['resource_id'] === id) === (vm.workspace === other)
    expect(recorder.samples.every(sample => of(sample, sample.labels))).toBe(true)
    expect(recorder.lines.every(line => of(line, { ...line.labels }))).toBe(true)
    expect(other).not.toBe(workspace)
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})

it('the metrics of a machine are queried in its workspace', async () => {
  const { api, created, workspace } = await tenantVms(0, { config: { given: oftenSampled() } })
  const { id } = await created('watched')
  const body = { query: `platform_compute_vm_up{resource_id="${id}", vm_name="watched"}` }
  const values = async () => {
    const { vector } = await api.observability.queryMetrics({ workspace, engine: 'native', body })
    return vector.map(({ value }) => value)
  }
  await expect.poll(values, { timeout: 15_000 }).toEqual(['1'])
})

it('a server without such an area keeps no serial lines, and tells nothing of machines in its own metrics', async () => {
  const mounted = areas.filter(({ domain }) => domain.name !== 'observability')
  const { created, platform } = await tenantVms(0, { areas: mounted })
  const { id } = await created('alone')
  const store = await openBeside(platform.config, storeCollections(areas))
  try {
    const machine = (await store.get(machines, id))?.value
    expect(machine).toMatchObject({ power: 'OFF', action: { to: 'ON' } })
    expect(machine).not.toHaveProperty('serial')
  } finally {
    await store.close()
  }
  expect(platform.lines.join()).not.toContain('SeaBIOS')
})

it('only a store in the data folder has files for the disks of machines', async () => {
  const { created, platform } = await tenantVms()
  await created('files')
  expect(existsSync(diskFolderOf(platform.config.dataDir))).toBe(postgresUrl() === undefined)
})
