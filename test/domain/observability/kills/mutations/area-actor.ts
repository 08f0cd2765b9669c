import type { ObservabilityClient } from '../../../../../output/observability/client.ts'
import type { LogSinkInput, ObservabilityOperation } from '../../../../../output/observability/types.ts'
import type { CallOptions } from '../../../../../runtime/transport.ts'
import type { Make, Steps } from '../../../../areas/kill/run-load.ts'
import { seeded } from '../../../../areas/random.ts'
import type { Intent, Sets } from '../../../../server/killed/journal.ts'

/** The dependencies of an actor. */
export interface ActorParts {
  readonly client: ObservabilityClient
  readonly make: Make
  /** The prefix of the names of all resources of the actor. */
  readonly name: string
  readonly workspace: string
}

/** The kinds of resources that an actor changes. */
type Kind = 'alertRules' | 'ingestionConfigs' | 'logSinks' | 'retentionPolicies' | 'silences'

interface Thing {
  readonly kind: Kind
  readonly name: string
  readonly id: string
}

type Run = (options: CallOptions) => Promise<ObservabilityOperation>

/**
 * The largest number of present resources of each kind. Ingestion configs and retention policies have no deletion, and a
 * workspace has at most 20 ingestion configs and 20 log sinks.
 */
const most: Readonly<Record<Kind, number>> = {
  alertRules: 4,
  ingestionConfigs: 2,
  logSinks: 2,
  retentionPolicies: 4,
  silences: 4,
}

const kinds: readonly Kind[] = ['alertRules', 'ingestionConfigs', 'logSinks', 'retentionPolicies', 'silences']

/** The kinds whose deletion removes the resource. */
const removable: ReadonlySet<Kind> = new Set(['alertRules', 'logSinks'])

const hourMs = 3_600_000

/** An actor that creates, changes and deletes its own resources of observability, sequentially. */
export class AreaActor implements Steps {
  readonly #parts: ActorParts
  readonly #random = seeded(process.pid + performance.now())
  #things: readonly Thing[] = []
  #count = 0

  constructor(parts: ActorParts) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    const kind = this.#random.oneOf(kinds)
    const own = this.#things.filter(thing => thing.kind === kind)
    if (own.length === 0 || (own.length < most[kind] && this.#random.percent(40))) return this.#create(kind)
    const thing = this.#random.oneOf(own)
    if (kind === 'silences') return this.#endSilence(thing)
    return removable.has(kind) && this.#random.percent(40) ? this.#remove(thing) : this.#update(thing)
  }

  get #path() {
    return { workspace: this.#parts.workspace, engine: 'native' }
  }

  #do(operationType: Intent['operationType'], { kind, name }: Omit<Thing, 'id'>, sets: Sets, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    return this.#parts.make({ intent, operationType, resourceType: kind, thing: name, sets }, run)
  }

  async #create(kind: Kind): Promise<void> {
    const name = `${this.#parts.name}-${kind.slice(0, 2).toLowerCase()}-${this.#count}`
    const sets: Sets = kind === 'silences' ? { over: 'false' } : { description: '' }
    const operation = await this.#do('CREATE', { kind, name }, sets, this.#creation(kind, name))
    if (operation) this.#things = [...this.#things, { kind, name, id: operation.resource_id }]
  }

  /** Returns the call that creates a resource; each repetition has the same body, as its Idempotency-Key demands. */
  #creation(kind: Kind, name: string): Run {
    const { client, workspace } = this.#parts
    if (kind === 'alertRules') {
      const request = { ...this.#path, body: { name, query: 'vector(1)' } }
      return options => client.createAlertRule(request, options)
    }
    if (kind === 'ingestionConfigs') {
      const request = { ...this.#path, body: { name, otlp: {} } }
      return options => client.createIngestionConfig(request, options)
    }
    if (kind === 'logSinks') {
      const destination = { webhook: { url: 'https://198.51.100.7/hook' } }
      const body: LogSinkInput = { name, sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'], destination }
      return options => client.createLogSink({ ...this.#path, body }, options)
    }
    if (kind === 'retentionPolicies') {
      const signal = 'OBSERVABILITY_SIGNAL_METRICS'
      const body = { name, signal, selector: `{job="${name}"}`, retention: '3600s' } as const
      return options => client.createRetentionPolicy({ ...this.#path, body }, options)
    }
    const end_time = new Date(Date.now() + hourMs).toISOString()
    const body = { matchers: [{ name: 'host', value: 'a' }], end_time, comment: name }
    return options => client.createSilence({ workspace, body }, options)
  }

  async #update(thing: Thing): Promise<void> {
    const { client } = this.#parts
    const description = `change ${this.#count}`
    const request = { ...this.#path, id: thing.id, body: { description }, update_mask: 'description' }
    await this.#do('UPDATE', thing, { description }, options => {
      if (thing.kind === 'alertRules') return client.updateAlertRule(request, options)
      if (thing.kind === 'ingestionConfigs') return client.updateIngestionConfig(request, options)
      if (thing.kind === 'logSinks') return client.updateLogSink(request, options)
      return client.updateRetentionPolicy(request, options)
    })
  }

  async #remove(thing: Thing): Promise<void> {
    const { client } = this.#parts
    const request = { ...this.#path, id: thing.id }
    await this.#do('DELETE', thing, null, options =>
      thing.kind === 'logSinks' ? client.deleteLogSink(request, options) : client.deleteAlertRule(request, options),
    )
    this.#forget(thing)
  }

  /** Ends a silence, which stays readable. */
  async #endSilence(thing: Thing): Promise<void> {
    const { client, workspace } = this.#parts
    await this.#do('DELETE', thing, { over: 'true' }, options =>
      client.deleteSilence({ workspace, id: thing.id }, options),
    )
    this.#forget(thing)
  }

  #forget(thing: Thing): void {
    this.#things = this.#things.filter(other => other !== thing)
  }
}
