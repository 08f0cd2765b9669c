import type { ComputeClient } from '../../../../../output/compute/client.ts'
import type { ComputeOperation } from '../../../../../output/compute/types.ts'
import type { CallOptions } from '../../../../../runtime/transport.ts'
import type { Make, Steps } from '../../../../areas/kill/run-load.ts'
import { seeded } from '../../../../areas/random.ts'
import type { Intent, Sets } from '../../../../server/killed/journal.ts'

/** The dependencies of an actor. */
export interface MachineActing {
  readonly client: ComputeClient
  readonly make: Make
  /** The prefix of the names of all machines of the actor. */
  readonly name: string
  readonly workspace: string
  readonly subnets: readonly string[]
}

interface Machine {
  readonly name: string
  readonly id: string
  readonly isRunning: boolean
}

type Run = (options: CallOptions) => Promise<ComputeOperation>

const mostMachines = 5

const statusOf = (isRunning: boolean): Sets => ({ status: isRunning ? 'RUNNING' : 'STOPPED' })

/** An actor that creates, starts, stops and deletes its own machines, sequentially. */
export class MachineActor implements Steps {
  readonly #parts: MachineActing
  readonly #random = seeded(process.pid + performance.now())
  #machines: readonly Machine[] = []
  #count = 0

  constructor(parts: MachineActing) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    const isFew = this.#machines.length < mostMachines
    if (this.#machines.length === 0 || (isFew && this.#random.percent(40))) return this.#create()
    const machine = this.#random.oneOf(this.#machines)
    return this.#random.percent(40) ? this.#delete(machine) : this.#turn(machine)
  }

  #do(operationType: Intent['operationType'], thing: string, sets: Sets, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    return this.#parts.make({ intent, operationType, resourceType: 'vms', thing, sets }, run)
  }

  async #create(): Promise<void> {
    const { client, name: prefix, subnets, workspace } = this.#parts
    const name = `${prefix}-vm-${this.#count}`
    const count = 1 + this.#random.below(4)
    const numa = { nodes: [{ vcpus: count, memory_mib: 512 }] }
    const body = {
      name,
      zone: 'local1-a',
      cpu: { count },
      memory_mib: 512,
      ...(this.#random.percent(50) && { numa }),
      boot_disk: { image: 'debian-13', size_gib: 10 },
      network_interfaces: [{ subnet_id: this.#random.oneOf(subnets) }],
    }
    const operation = await this.#do('CREATE', name, statusOf(false), options =>
      client.createVm({ workspace, body }, options),
    )
    if (operation) this.#machines = [...this.#machines, { name, id: operation.resource_id, isRunning: false }]
  }

  async #turn(machine: Machine): Promise<void> {
    const { client, workspace } = this.#parts
    const { id, isRunning, name } = machine
    const request = { workspace, id, body: {} }
    await this.#do(isRunning ? 'STOP' : 'START', name, statusOf(!isRunning), options =>
      isRunning ? client.stopVm(request, options) : client.startVm(request, options),
    )
    this.#machines = this.#machines.map(each => (each === machine ? { ...machine, isRunning: !isRunning } : each))
  }

  async #delete(machine: Machine): Promise<void> {
    const { client, workspace } = this.#parts
    await this.#do('DELETE', machine.name, null, options => client.deleteVm({ workspace, id: machine.id }, options))
    this.#machines = this.#machines.filter(other => other !== machine)
  }
}
