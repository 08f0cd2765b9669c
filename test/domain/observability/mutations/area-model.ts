import type { Ninefold } from '../../../../output/client.ts'
import type {
  LogSinkInput,
  RetentionPolicyStateInput,
  SilenceMatcherInput,
} from '../../../../output/observability/types.ts'
import { absentId, type Tenant } from '../../../areas/members.ts'
import type { Random } from '../../../areas/random.ts'

/** The limits of the workspace of a run, which are small so that a run meets them. */
export const smallLimits = { silences: 4, alertRules: 3, ingestionConfigs: 3, logSinks: 3 } as const

/** A call, and the outcome that the model expects: `OK` or the reason of an error. */
export interface Step {
  readonly name: string
  readonly call: () => Promise<unknown>
  readonly expected: string
  /** Changes the model after a call that succeeded. */
  readonly then: (answer: unknown) => void
}

interface Silence {
  readonly id: string
  isOver: boolean
}

interface Policy {
  readonly id: string
  readonly name: string
  readonly selector: string
  readonly isDefault: boolean
  retention: string
  state: RetentionPolicyStateInput
}

const hourMs = 3_600_000

const [active, disabled] = [
  'OBSERVABILITY_RETENTION_POLICY_STATE_ACTIVE',
  'OBSERVABILITY_RETENTION_POLICY_STATE_DISABLED',
] as const

const idOf = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'resource_id' in answer ? String(answer.resource_id) : ''

/** Returns the first of these reasons whose condition holds; `OK` if none does. */
const first = (...reasons: readonly (readonly [boolean, string])[]): string =>
  reasons.find(([holds]) => holds)?.[1] ?? 'OK'

/** The resources of one workspace as they should be after the calls of a run, one after the other. */
export class AreaModel {
  readonly silences: Silence[] = []
  readonly policies: Policy[]
  readonly rules: { readonly id: string; readonly name: string }[] = []
  readonly sinks: { readonly id: string; readonly name: string; enabled: boolean }[] = []
  readonly configs: { readonly id: string; readonly name: string; enabled: boolean }[] = []
  isSuspended = false
  readonly #api: Ninefold
  readonly #tenant: Tenant
  readonly #random: Random

  /** `defaults` are the ids of the default policies of the workspace. */
  constructor(api: Ninefold, tenant: Tenant, random: Random, defaults: readonly string[]) {
    this.#api = api
    this.#tenant = tenant
    this.#random = random
    this.policies = defaults.map(id => ({
      id,
      name: `default-${id}`,
      selector: '',
      isDefault: true,
      retention: '',
      state: active,
    }))
  }

  /** Returns a random call. */
  next(): Step {
    const kinds = [
      () => this.#createSilence(),
      () => this.#deleteSilence(),
      () => this.#createPolicy(),
      () => this.#updatePolicy(),
      () => this.#createRule(),
      () => this.#deleteRule(),
      () => this.#createConfig(),
      () => this.#updateConfig(),
      () => this.#createSink(),
      () => this.#updateSink(),
      () => this.#deleteSink(),
    ]
    return this.#random.percent(this.isSuspended ? 30 : 4) ? this.#switchWorkspace() : this.#random.oneOf(kinds)()
  }

  get openSilences(): number {
    return this.silences.filter(({ isOver }) => !isOver).length
  }

  get #place() {
    return { workspace: this.#tenant.workspace, engine: 'native' }
  }

  #createSilence(): Step {
    const { workspace } = this.#tenant
    const [isOpen, isPast] = [this.#random.percent(10), this.#random.percent(10)]
    const matchers: SilenceMatcherInput[] = [{ name: 'host', value: isOpen ? '' : 'a' }]
    const end_time = isPast ? '2020-01-01T00:00:00Z' : new Date(Date.now() + hourMs).toISOString()
    const body = { matchers, end_time, comment: 'random' }
    return {
      name: 'createSilence',
      call: () => this.#api.observability.createSilence({ workspace, body }),
      expected: first(
        [isOpen, 'SILENCE_MATCHES_ALL'],
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [isPast, 'SILENCE_TIME_INVALID'],
        [this.openSilences >= smallLimits.silences, 'QUOTA_EXCEEDED'],
      ),
      then: answer => void this.silences.push({ id: idOf(answer), isOver: false }),
    }
  }

  #deleteSilence(): Step {
    const { workspace } = this.#tenant
    const silence = this.#one(this.silences)
    const hasOtherEtag = this.#random.percent(10)
    const request = { workspace, id: silence?.id ?? absentId, ...(hasOtherEtag && { etag: 'other' }) }
    return {
      name: 'deleteSilence',
      call: () => this.#api.observability.deleteSilence(request),
      expected: first(
        [silence === undefined, 'SILENCE_NOT_FOUND'],
        [hasOtherEtag, 'ETAG_MISMATCH'],
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
      ),
      then() {
        if (silence) silence.isOver = true
      },
    }
  }

  #createPolicy(): Step {
    const [name, job] = [`p${this.#random.below(12)}`, this.#random.below(12)]
    const selector = this.#random.percent(10) ? '{}' : `{job="${job}"}`
    const [retention, signal] = ['3600s', 'OBSERVABILITY_SIGNAL_METRICS'] as const
    const isTaken = this.policies.some(each => each.name === name || each.selector === selector)
    return {
      name: 'createRetentionPolicy',
      call: () =>
        this.#api.observability.createRetentionPolicy({
          ...this.#place,
          body: { name, selector, retention, signal },
        }),
      expected: first(
        [selector === '{}', 'SELECTOR_EMPTY'],
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [isTaken, 'RETENTION_POLICY_ALREADY_EXISTS'],
      ),
      then: answer =>
        void this.policies.push({ id: idOf(answer), name, selector, retention, isDefault: false, state: active }),
    }
  }

  #updatePolicy(): Step {
    const policy = this.#one(this.policies)
    const state = this.#random.percent(40) ? disabled : active
    const retention = `${3_600 + this.#random.below(9)}s`
    return {
      name: 'updateRetentionPolicy',
      call: () =>
        this.#api.observability.updateRetentionPolicy({
          ...this.#place,
          id: policy?.id ?? absentId,
          body: { retention, state },
          update_mask: 'retention,state',
        }),
      expected: first(
        [policy === undefined, 'RETENTION_POLICY_NOT_FOUND'],
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [policy?.isDefault === true && state === disabled, 'RETENTION_POLICY_DEFAULT_REQUIRED'],
      ),
      then() {
        if (policy) Object.assign(policy, { retention, state })
      },
    }
  }

  #createRule(): Step {
    const name = `r${this.#random.below(8)}`
    return {
      name: 'createAlertRule',
      call: () => this.#api.observability.createAlertRule({ ...this.#place, body: { name, query: 'up == 0' } }),
      expected: first(
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [this.rules.some(each => each.name === name), 'ALERT_RULE_ALREADY_EXISTS'],
        [this.rules.length >= smallLimits.alertRules, 'QUOTA_EXCEEDED'],
      ),
      then: answer => void this.rules.push({ id: idOf(answer), name }),
    }
  }

  #deleteRule(): Step {
    const rule = this.#one(this.rules)
    return {
      name: 'deleteAlertRule',
      call: () => this.#api.observability.deleteAlertRule({ ...this.#place, id: rule?.id ?? absentId }),
      expected: first([rule === undefined, 'ALERT_RULE_NOT_FOUND'], [this.isSuspended, 'WORKSPACE_NOT_ACTIVE']),
      then: () =>
        void this.rules.splice(
          this.rules.findIndex(each => each.id === rule?.id),
          1,
        ),
    }
  }

  #createConfig(): Step {
    const name = `c${this.#random.below(8)}`
    return {
      name: 'createIngestionConfig',
      call: () => this.#api.observability.createIngestionConfig({ ...this.#place, body: { name, otlp: {} } }),
      expected: first(
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [this.configs.some(each => each.name === name), 'INGESTION_CONFIG_ALREADY_EXISTS'],
        [this.configs.length >= smallLimits.ingestionConfigs, 'QUOTA_EXCEEDED'],
      ),
      then: answer => void this.configs.push({ id: idOf(answer), name, enabled: true }),
    }
  }

  #updateConfig(): Step {
    const config = this.#one(this.configs)
    const enabled = this.#random.percent(50)
    const request = { id: config?.id ?? absentId, body: { enabled }, update_mask: 'enabled' }
    return {
      name: 'updateIngestionConfig',
      call: () => this.#api.observability.updateIngestionConfig({ ...this.#place, ...request }),
      expected: first([config === undefined, 'INGESTION_CONFIG_NOT_FOUND'], [this.isSuspended, 'WORKSPACE_NOT_ACTIVE']),
      then() {
        if (config) config.enabled = enabled
      },
    }
  }

  #createSink(): Step {
    const name = `s${this.#random.below(8)}`
    const hasNoDestination = this.#random.percent(10)
    const destination = hasNoDestination ? {} : { webhook: { url: 'https://198.51.100.7/hook' } }
    const body: LogSinkInput = { name, sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'], destination }
    return {
      name: 'createLogSink',
      call: () => this.#api.observability.createLogSink({ ...this.#place, body }),
      expected: first(
        [hasNoDestination, 'DESTINATION_INVALID'],
        [this.isSuspended, 'WORKSPACE_NOT_ACTIVE'],
        [this.sinks.some(each => each.name === name), 'LOG_SINK_ALREADY_EXISTS'],
        [this.sinks.length >= smallLimits.logSinks, 'QUOTA_EXCEEDED'],
      ),
      then: answer => void this.sinks.push({ id: idOf(answer), name, enabled: true }),
    }
  }

  #updateSink(): Step {
    const sink = this.#one(this.sinks)
    const enabled = this.#random.percent(50)
    const request = { id: sink?.id ?? absentId, body: { enabled }, update_mask: 'enabled' }
    return {
      name: 'updateLogSink',
      call: () => this.#api.observability.updateLogSink({ ...this.#place, ...request }),
      expected: first([sink === undefined, 'LOG_SINK_NOT_FOUND'], [this.isSuspended, 'WORKSPACE_NOT_ACTIVE']),
      then() {
        if (sink) sink.enabled = enabled
      },
    }
  }

  #deleteSink(): Step {
    const sink = this.#one(this.sinks)
    return {
      name: 'deleteLogSink',
      call: () => this.#api.observability.deleteLogSink({ ...this.#place, id: sink?.id ?? absentId }),
      expected: first([sink === undefined, 'LOG_SINK_NOT_FOUND'], [this.isSuspended, 'WORKSPACE_NOT_ACTIVE']),
      then: () =>
        void this.sinks.splice(
          this.sinks.findIndex(each => each.id === sink?.id),
          1,
        ),
    }
  }

  #switchWorkspace(): Step {
    const { organisation, workspace: id } = this.#tenant
    const verb = this.isSuspended ? 'resumeWorkspace' : 'suspendWorkspace'
    return {
      name: verb,
      call: () => this.#api.taxonomy[verb]({ organisation, id, body: {} }),
      expected: 'OK',
      then: () => void (this.isSuspended = !this.isSuspended),
    }
  }

  /** Returns a random element; undefined for no elements, and now and then for an absent one. */
  #one<T>(all: readonly T[]): T | undefined {
    return all.length === 0 || this.#random.percent(8) ? undefined : this.#random.oneOf(all)
  }
}
