import { again, done, type Procedure } from '../../ports/procedures.ts'
import type { Reader } from '../../ports/store.ts'
import type { Protection } from '../../ports/taxonomy.ts'
import type { DriverName } from '../../ports/topology.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { DriverVm } from '../drivers/driver.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { forgetSource } from '../images/boot-sources-store.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection } from '../vms/vms-store.ts'
import { driverVmOf } from './driver-step.ts'

/** The input of the work that destroys a machine whose row is gone. */
export interface Disposal {
  readonly vm: DriverVm
  readonly driver: DriverName
}

const kind = 'compute.dispose'

/**
 * Orders the destruction of the machines of a deleted workspace, without grace, and cancels their operations. The rows
 * go with their kind; ports and capacity go with the purges of network and topology.
 */
export async function purgeMachines(
  { functions, images, operations, store }: ComputeEnvironment,
  workspace: string,
): Promise<void> {
  const scope = workspaceScope(workspace)
  for await (const { value } of store.each(vmCollection, { workspace_id: workspace })) {
    const { driver, operation_id } = value
    // Metadata may hold secrets, and a driver needs none to destroy a machine.
    const vm: DriverVm = { ...driverVmOf(value, images), metadata: {} }
    await store.tx(async tx => {
      if (operation_id !== '') await operations.cancel(tx, operation_id, 'the workspace is deleted')
      await forgetSource(functions.registry, tx, value.id)
      const input: Disposal | undefined = driver === '' ? undefined : { vm, driver }
      if (input) await operations.follow(tx, { kind, input, scope })
    })
  }
}

/** Returns the procedure that destroys a machine without a row. A failed call of the driver is repeated each minute. */
export const disposal = ({ drivers }: Pick<ComputeEnvironment, 'drivers'>): Procedure<Disposal> => ({
  kind,
  deadlineMs: 'none',
  steps: [
    {
      name: 'destroy',
      async run({ clock, input: { driver, vm }, signal, tx }) {
        const request = `dispose-${vm.id}`
        const answer = await drivers[driver]?.destroy({ vm, request, now: clock.now(), signal, tx })
        if (answer?.kind === 'waiting') return again(answer.afterMs)
        if (answer?.kind === 'failed') return again(60_000, new Error(answer.message))
        return done()
      },
    },
  ],
})

/** Returns the machines that keep their workspace from being deleted by force. */
export async function protectionsOf(reader: Reader, workspace: string): Promise<readonly Protection[]> {
  const found: Protection[] = []
  for await (const { id, value } of reader.each(vmCollection, { workspace_id: workspace, deletion_protection: true })) {
    const reason = `virtual machine ${value.name} is protected; set deletion_protection to false first`
    found.push({ resourceType: vmKind.type, id, reason })
  }
  return found
}
