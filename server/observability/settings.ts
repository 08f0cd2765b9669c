import { parseCidr } from '../../domain/addresses/cidr.ts'
import { isUuid } from '../../runtime/formats.ts'
import { nativeEngine } from '../engines.ts'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { listOf } from '../settings/lists.ts'
import { mapOf, object, objectByKind } from '../settings/objects.ts'
import { duration, flag, integer, text } from '../settings/scalars.ts'
import { addedEngineFault, engineNameFault, httpUrlFault } from '../settings/text-faults.ts'

/** Returns the fault of a text that is no address before the paths of an API. */
function memberFault(value: string): string | undefined {
  const fault = httpUrlFault(value)
  if (fault !== undefined) return fault
  const { password, username } = new URL(value)
  // The marks of an empty query and fragment would take the paths of the API into these.
  const isPlain = password === '' && username === '' && !/[?#]/.test(value)
  return isPlain ? undefined : 'must be an http or https URL without a user, a query and a fragment'
}

const url = text({ fault: memberFault }).optional

/** An engine whose telemetry programs of others store. */
const engine = objectByKind({
  stack: {
    name: text({ fault: addedEngineFault }),
    metrics_url: url,
    logs_url: url,
    traces_url: url,
    otlp_url: url,
    alertmanager_url: url,
    multi_tenant: flag().default(false),
  },
})

const limit = integer({
  min: -1,
  max: 999_999_999_999_999,
  rule: 'must be a whole number from 0 on, or -1 for no limit',
})

/** The limits of a workspace; an absent limit is that of the quota definition (observability.md, QuotaDefinition). */
const limits = object({
  activeSeries: limit.optional,
  samplesPerSecond: limit.optional,
  logBytesPerSecond: limit.optional,
  logStreams: limit.optional,
  spansPerSecond: limit.optional,
  alertRules: limit.optional,
  logSinks: limit.optional,
  silences: limit.optional,
  ingestionConfigs: limit.optional,
  concurrentQueries: limit.optional,
})

const workspaceFault = (id: string): string | undefined =>
  isUuid(id) ? undefined : 'must be the id of a workspace, a UUID in lower case'

/** Returns the fault of a list with a text that is no network. */
const networksFault = (entries: readonly string[]): string | undefined =>
  entries.every(entry => parseCidr(entry) !== undefined)
    ? undefined
    : 'must be networks with commas between them, such as "10.0.0.0/8, fd00::/8"'

/** The settings of observability. */
export const observabilitySettings = {
  'observability.allow_private_targets': listOf(text(), { fault: networksFault })
    .default([])
    .describe(
      'networks (`10.0.0.0/8, fd00::/8`) of loopback, link-local and private addresses to which scrapes and notifications may go; without them, only public addresses',
    ),
  'observability.default_engine': text({ fault: engineNameFault })
    .default(nativeEngine)
    .describe('the engine that keeps the telemetry of the platform itself'),
  'observability.engines': listOf(engine, { uniqueBy: 'name' })
    .default([])
    .describe(
      'stacks of other software, a list of `{"name", "kind": "stack", "metrics_url", "logs_url", "traces_url", "otlp_url", "alertmanager_url", "multi_tenant"}`; `multi_tenant`: whether its members keep tenants apart, by `X-Scope-OrgID`',
    ),
  'observability.ingest_base_url': text({ fault: httpUrlFault })
    .otherwise('`base_url`')
    .describe('the address at which senders reach `/ingest`, as ingestion configs show it'),
  'observability.limits': mapOf(limits, { nameFault: workspaceFault })
    .default(new Map())
    .describe(
      'limits that replace the defaults of the quota definitions, keyed by the ids of workspaces: `{"<id>": {"activeSeries": 500000}}`; -1: no limit',
    ),
  'observability.own_metrics_interval': duration({ min: 1000, max: 300_000 })
    .default(15_000)
    .describe('the time between two samples of the metrics of the server itself, in the workspace `platform`'),
} as const satisfies SettingDeclarations
