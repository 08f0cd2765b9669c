import type { Collection } from '../../../../domain/ports/store.ts'
import type { CapacityNeed } from '../../../../domain/ports/topology.ts'
import { defineKind, type Resource } from '../../../../domain/resources/kind.ts'
import { vmAlreadyExists, vmNotFound, vmStateInvalid } from '../../../../output/compute/errors.ts'
import { vmFields } from '../../../../output/compute/validators.ts'

/** A machine that has logical ports and capacity, and no other resources. */
export interface Machine extends Resource {
  readonly workspace_id: string
  readonly name: string
  readonly zone: string
  readonly labels: Readonly<Record<string, string>>
  readonly status: 'NATIVE_VM_STATUS_RUNNING' | 'NATIVE_VM_STATUS_STOPPED'
  /** The capacity of the machine while it runs. */
  readonly need: CapacityNeed
  /** The ids of the logical ports of the machine. */
  readonly ports: readonly string[]
}

/** The collection of the machines of all workspaces. */
export const machines: Collection<Machine> = {
  name: 'compute_machines',
  id: 'id',
  columns: { workspace_id: 'STRING', name: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) => vmAlreadyExists(`a machine is named ${name}`, { resource: { type: 'compute.vms', name } }),
    },
  ],
}

/** The kind of machines, in place of the VMs of compute. */
export const machineKind = defineKind({
  type: 'compute.vms',
  noun: 'machine',
  collection: machines,
  fields: vmFields,
  notFound: vmNotFound,
  states: {
    member: 'status',
    transitions: {
      start: { type: 'START', from: ['NATIVE_VM_STATUS_STOPPED'], to: 'NATIVE_VM_STATUS_RUNNING' },
      stop: { type: 'STOP', from: ['NATIVE_VM_STATUS_RUNNING'], to: 'NATIVE_VM_STATUS_STOPPED' },
    },
    invalid: (message, { allowed, current }, details) =>
      vmStateInvalid(message, { current_status: current, allowed_statuses: allowed }, details),
  },
})
