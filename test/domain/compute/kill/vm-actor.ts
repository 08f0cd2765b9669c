import { setTimeout as sleep } from 'node:timers/promises'
import type { ComputeClient } from '../../../../output/compute/client.ts'
import type { ComputeOperation, VmInput } from '../../../../output/compute/types.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import type { CallOptions } from '../../../../runtime/transport.ts'
import type { Make, Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent } from '../../../server/killed/journal.ts'

/** The dependencies of an actor, and its place. */
export interface VmActing {
  readonly client: ComputeClient
  readonly make: Make
  /** The prefix of the names of the actor's virtual machines. */
  readonly name: string
  readonly workspace: string
  readonly subnets: readonly string[]
}

type Status = 'RUNNING' | 'STOPPED' | 'SUSPENDED'

interface Machine {
  readonly name: string
  readonly id: string
  readonly status: Status
}

type Verb = 'start' | 'stop' | 'suspend' | 'resume' | 'restart' | 'reset'

/** The status to which each verb leads, keyed by the status that allows the verb and by the verb. */
const verbs: Readonly<Record<Status, Readonly<Partial<Record<Verb, Status>>>>> = {
  RUNNING: { stop: 'STOPPED', suspend: 'SUSPENDED', restart: 'RUNNING', reset: 'RUNNING' },
  STOPPED: { start: 'RUNNING' },
  SUSPENDED: { resume: 'RUNNING', stop: 'STOPPED' },
}

const typeOf: Readonly<Record<Verb, Intent['operationType']>> = {
  start: 'START',
  stop: 'STOP',
  suspend: 'SUSPEND',
  resume: 'RESUME',
  restart: 'RESTART',
  reset: 'RESET',
}

type Run = (options: CallOptions) => Promise<ComputeOperation>

const mostMachines = 5

/** Creates virtual machines, calls their verbs, and deletes them, one call after the other. */
export class VmActor implements Steps {
  readonly #parts: VmActing
  readonly #random = seeded(process.pid + performance.now())
  #machines: readonly Machine[] = []
  #count = 0

  constructor(parts: VmActing) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    const isFew = this.#machines.length < mostMachines
    if (this.#machines.length === 0 || (isFew && this.#random.percent(30))) return this.#create()
    const machine = this.#random.oneOf(this.#machines)
    return this.#random.percent(25) ? this.#delete(machine) : this.#turn(machine)
  }

  async #create(): Promise<void> {
    const { client, workspace } = this.#parts
    const body = this.#body()
    const status = body.start_on_create === false ? 'STOPPED' : 'RUNNING'
    const operation = await this.#do('CREATE', body.name, status, options =>
      client.createVm({ workspace, body }, options),
    )
    if (!operation) return
    const machine = { name: body.name, id: operation.resource_id, status } as const
    this.#machines = [...this.#machines, machine]
    // A fifth of the creations is cancelled by a deletion.
    return this.#random.percent(20) ? this.#delete(machine) : this.#ended(operation)
  }

  #body(): VmInput {
    const { name, subnets } = this.#parts
    const count = 1 + this.#random.below(4)
    return {
      name: `${name}-vm-${this.#count}`,
      zone: 'local1-a',
      cpu: { count },
      memory_mib: 512,
      ...(this.#random.percent(50) && { numa: { nodes: [{ vcpus: count, memory_mib: 512 }] } }),
      boot_disk: { image: 'debian-13', size_gib: 10 },
      network_interfaces: [{ subnet_id: this.#random.oneOf(subnets) }],
      start_on_create: this.#random.percent(75),
    }
  }

  async #turn(machine: Machine): Promise<void> {
    const { client, workspace } = this.#parts
    const { id, name, status } = machine
    const allowed = verbs[status]
    const verb = this.#random.oneOf(verbNames.filter(each => allowed[each] !== undefined))
    const after = allowed[verb] ?? status
    const operation = await this.#do(typeOf[verb], name, after, options =>
      verb === 'stop'
        ? client.stopVm({ workspace, id, body: { discard_saved_state: true } }, options)
        : client[`${verb}Vm`]({ workspace, id, body: {} }, options),
    )
    const changed = { ...machine, status: after }
    this.#machines = this.#machines.map(each => (each === machine ? changed : each))
    if (!operation) return
    return this.#random.percent(10) ? this.#delete(changed) : this.#ended(operation)
  }

  async #delete(machine: Machine): Promise<void> {
    const { client, workspace } = this.#parts
    const { id, name } = machine
    await this.#do('DELETE', name, undefined, options => client.deleteVm({ workspace, id }, options))
    this.#machines = this.#machines.filter(other => other !== machine)
  }

  #do(operationType: Intent['operationType'], thing: string, status: Status | undefined, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const sets = status === undefined ? null : { status }
    return this.#parts.make({ intent, operationType, resourceType: 'vms', thing, sets }, run)
  }

  /** Waits until an operation has ended; a server that is restarting does not end the wait. */
  async #ended({ id }: ComputeOperation): Promise<void> {
    for (;;) {
      try {
        if (isEnded(await this.#parts.client.getOperation({ id }))) return
      } catch (error) {
        if (!(error instanceof ApiError) || error.rpc !== 'UNAVAILABLE') throw error
      }
      await sleep(10)
    }
  }
}

const verbNames: readonly Verb[] = ['start', 'stop', 'suspend', 'resume', 'restart', 'reset']
