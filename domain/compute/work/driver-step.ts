import { forcedPowerOff } from '../../../output/compute/errors.ts'
import type { VmNetworkInterface } from '../../../output/compute/types.ts'
import {
  again,
  done,
  failed,
  type OperationError,
  type Step,
  type StepContext,
  type StepOutcome,
} from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Disk, Driver, DriverAnswer, DriverCall, DriverVm, GuestInterface } from '../drivers/driver.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { bootContentOf, BootContentFault } from '../images/boot-content.ts'
import type { ImageCatalogue } from '../images/catalogue.ts'
import type { FailureReason } from '../vms/transitions.ts'
import { coresPerSocket } from '../vms/vm-form.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { lockOwn } from './vm-end.ts'
import type { VmWork } from './vm-work.ts'

/** A step of the work on a machine: a call of the driver, and the change of the row after the call has succeeded. */
export interface DriverStep {
  readonly name: string
  /** The reason of a failure of the driver. */
  readonly reason: FailureReason
  /** Whether the step succeeds on a server that lacks the driver, because nothing was made there. */
  readonly isOptional?: true
  /** Calls the driver; returns undefined if the driver has nothing to do. */
  run(driver: Driver, call: DriverCall, input: VmWork): Promise<DriverAnswer> | undefined
  after?(tx: Transaction, stored: Stored<StoredVm>, input: VmWork): Promise<void>
}

/** Returns a step of a procedure. The step does nothing if another operation changes the machine by now. */
export const stepOf = (environment: ComputeEnvironment, step: DriverStep): Step<VmWork> => ({
  name: step.name,
  run: context => runStep(environment, step, context),
})

async function runStep(
  { drivers, functions, images }: ComputeEnvironment,
  step: DriverStep,
  context: StepContext<VmWork>,
): Promise<StepOutcome> {
  const { clock, input, operationId = '', signal, store, tx } = context
  const vm = (await store.get(vmCollection, input.vm))?.value
  if (vm?.operation_id !== operationId) return done()
  const driver = vm.driver === '' ? undefined : drivers[vm.driver]
  if (!driver && !step.isOptional) return failed(errorOf(step.reason, `this server has no driver ${vm.driver}`))
  const content = await bootContentOf(store, functions, vm)
  const call = { vm: driverVmOf(vm, images), content, request: operationId, now: clock.now(), signal, tx }
  const answer = (driver && (await answerOf(step.run(driver, call, input)))) ?? { kind: 'done' }
  if (answer.kind === 'waiting') return again(answer.afterMs)
  if (answer.kind === 'failed') return failed(errorOf(step.reason, answer.message))
  if (answer.isForced && input.grace) context.warn(forced(input.grace.seconds))
  return done(async inner => {
    const stored = await lockOwn(inner, input.vm, operationId)
    if (stored) await step.after?.(inner, stored, input)
  })
}

/** The time after which content that cannot be read at the moment is tried again, in milliseconds. */
const laterMs = 1_000

/** Returns the answer of a driver, also if the content of the boot disk cannot be read. */
async function answerOf(call: Promise<DriverAnswer> | undefined): Promise<DriverAnswer | undefined> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof BootContentFault)) throw error
    return error.isFinal ? { kind: 'failed', message: error.message } : { kind: 'waiting', afterMs: laterMs }
  }
}

const errorOf = ({ code, reason }: FailureReason, description: string): OperationError => ({
  code,
  reason,
  description,
})

const forced = (seconds: number) => ({
  code: forcedPowerOff.code,
  description: `The guest did not shut down in ${seconds} s and was powered off`,
})

/** Returns the disks of a machine, the boot disk first. */
export const disksOf = ({ boot_disk, data_disks }: Pick<StoredVm, 'boot_disk' | 'data_disks'>): readonly Disk[] => [
  { name: '', size_gib: boot_disk.size_gib ?? 0 },
  ...data_disks.map(({ name, size_gib }) => ({ name, size_gib })),
]

const interfaceOf = ({ logical_port_id, mac_address, name }: VmNetworkInterface): GuestInterface => ({
  name,
  port_id: logical_port_id,
  mac_address,
})

/** Returns the part of a machine that its driver needs. */
export const driverVmOf = (vm: StoredVm, images: ImageCatalogue): DriverVm => ({
  id: vm.id,
  name: vm.name,
  vcpus: vm.cpu.count,
  cores_per_socket: coresPerSocket(vm.cpu),
  threads_per_core: vm.cpu.threads_per_core,
  memory_mib: vm.memory_mib,
  numa: vm.numa?.nodes ?? [],
  interfaces: vm.network_interfaces.map(interfaceOf),
  image: images.get(vm.boot_disk.image),
  disks: disksOf(vm),
  metadata: vm.metadata,
})
