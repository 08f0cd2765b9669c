import type { MetricSample, Observability } from '../../ports/observability.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import type { DriverTelemetry, SerialOutput, Usage } from '../drivers/telemetry.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { sendSamples } from '../../resources/resource-metrics.ts'
import { isIn } from '../vms/transitions.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { driverVmOf } from './driver-step.ts'

/** The settings of the telemetry of machines. */
interface TelemetryOptions {
  /** The time between two samples of a metric, in milliseconds. */
  readonly intervalMs: number
}

/**
 * Sends the metrics and the serial lines of machines to observability (compute.md 4). Does nothing while no area
 * provides `ingest`.
 */
export function telemetry(environment: ComputeEnvironment, { intervalMs }: TelemetryOptions): Worker {
  // A sample is taken in each interval of the clock, so that another server continues with the next interval.
  let sampled = -1
  return {
    name: 'compute.telemetry',
    everyMs: 1000,
    async run(turn) {
      const { clock, drivers, functions } = environment
      const { observability } = functions
      if (!observability) return
      for (const driver of Object.values(drivers))
        if (driver.telemetry) await sendSerial(environment, observability, driver.telemetry, turn)
      const interval = Math.floor(clock.now() / intervalMs)
      if (interval === sampled) return
      await sendMetrics(environment, observability, turn)
      sampled = interval
    },
  }
}

async function sendSerial(
  { clock, store }: ComputeEnvironment,
  observability: Observability,
  telemetry: DriverTelemetry,
  { signal, tx }: Turn,
): Promise<void> {
  for await (const output of telemetry.serial(store, clock.now())) {
    if (signal.aborted) return
    const vm = (await store.get(vmCollection, output.vm))?.value
    if (vm) await observability.ingest(vm.workspace_id, { logs: logLines(output) })
    await tx(inner => telemetry.forget(inner, output))
  }
}

const logLines = ({ lines, vm }: SerialOutput) =>
  lines.map(({ at_ms, text }) => ({
    labels: { service_name: vmKind.type, resource_id: vm, stream: 'serial' },
    time: at_ms,
    line: text,
  }))

async function sendMetrics(
  { clock, drivers, images, store }: ComputeEnvironment,
  observability: Observability,
  turn: Turn,
): Promise<void> {
  const machines = async function* () {
    for await (const { value: vm } of store.each(vmCollection)) {
      const now = clock.now()
      const telemetry = vm.driver === '' ? undefined : drivers[vm.driver]?.telemetry
      const usage = isIn(vm, 'RUNNING') ? await telemetry?.usage(driverVmOf(vm, images), now) : undefined
      yield { workspace: vm.workspace_id, samples: samplesOf(vm, usage, now) }
    }
  }
  await sendSamples(observability, machines(), turn)
}

/** The metrics of a machine. The usage is sampled only while the machine runs. */
function samplesOf(vm: StoredVm, usage: Usage | undefined, time: number): readonly MetricSample[] {
  const labels = { resource_id: vm.id, vm_name: vm.name }
  const gauge = (name: MetricSample['name'], value: number) => ({ name, type: 'GAUGE', labels, time, value }) as const
  return [
    gauge('platform_compute_vm_up', isIn(vm, 'RUNNING') ? 1 : 0),
    { name: 'platform_compute_vm_boots_total', type: 'COUNTER', labels, time, value: vm.boot_count },
    ...(usage
      ? [
          gauge('platform_compute_vm_cpu_utilization', usage.cpu_utilization),
          gauge('platform_compute_vm_memory_used_mib', usage.memory_used_mib),
        ]
      : []),
  ]
}
