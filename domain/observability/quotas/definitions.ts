import type { DefinitionFacts, KnownDefinitions } from '../../resources/quotas/definitions.ts'

/** The names of the quotas; the id of a definition is `observability.` and the name. */
export const quotaNames = [
  'activeSeries',
  'alertRules',
  'concurrentQueries',
  'ingestionConfigs',
  'logBytesPerSecond',
  'logSinks',
  'logStreams',
  'samplesPerSecond',
  'silences',
  'spansPerSecond',
] as const

/** The name of a quota of the area. */
export type QuotaName = (typeof quotaNames)[number]

/** Returns the id of the definition of a quota. */
export const definitionId = (name: QuotaName): `observability.${QuotaName}` => `observability.${name}`

/** The members by which the definitions differ. */
type OwnFacts = Pick<DefinitionFacts, 'display_name' | 'description' | 'unit' | 'resource_type' | 'default_limit'>

const facts: Readonly<Record<QuotaName, OwnFacts>> = {
  activeSeries: {
    display_name: 'Active series',
    description: 'Time series with a sample in the last hour.',
    unit: '1',
    resource_type: 'observability.metrics',
    default_limit: 100_000,
  },
  alertRules: {
    display_name: 'Alert rules',
    description: 'Alert rules of a workspace, over all engines.',
    unit: '1',
    resource_type: 'observability.alertRules',
    default_limit: 200,
  },
  concurrentQueries: {
    display_name: 'Concurrent queries',
    description: 'Queries that a server runs for a workspace at one time.',
    unit: '1',
    resource_type: 'observability.metrics',
    default_limit: 8,
  },
  ingestionConfigs: {
    display_name: 'Ingestion configs',
    description: 'Ingestion configs of a workspace, over all engines, disabled ones too.',
    unit: '1',
    resource_type: 'observability.ingestionConfigs',
    default_limit: 20,
  },
  logBytesPerSecond: {
    display_name: 'Log bytes a second',
    description: 'Bytes of log lines that arrive in a second.',
    unit: 'By/s',
    resource_type: 'observability.logs',
    default_limit: 5 * 2 ** 20,
  },
  logSinks: {
    display_name: 'Log sinks',
    description: 'Log sinks of a workspace, over all engines, disabled ones too.',
    unit: '1',
    resource_type: 'observability.logSinks',
    default_limit: 20,
  },
  logStreams: {
    display_name: 'Log streams',
    description: 'Streams of log lines that are kept.',
    unit: '1',
    resource_type: 'observability.logs',
    default_limit: 5_000,
  },
  samplesPerSecond: {
    display_name: 'Samples a second',
    description: 'Samples of time series that arrive in a second.',
    unit: '1/s',
    resource_type: 'observability.metrics',
    default_limit: 20_000,
  },
  silences: {
    display_name: 'Silences',
    description: 'Silences that have not ended.',
    unit: '1',
    resource_type: 'observability.silences',
    default_limit: 500,
  },
  spansPerSecond: {
    display_name: 'Spans a second',
    description: 'Spans of traces that arrive in a second.',
    unit: '1/s',
    resource_type: 'observability.traces',
    default_limit: 2_000,
  },
}

/** A quota definition of the area; all of them count in a workspace. */
export interface ObservabilityDefinition extends DefinitionFacts {
  readonly name: QuotaName
}

const definitions: readonly ObservabilityDefinition[] = quotaNames.map(name => ({
  ...facts[name],
  name,
  id: definitionId(name),
  scope: 'WORKSPACE',
  dimensions: [],
}))

const byId = new Map(definitions.map(definition => [definition.id, definition]))

/** The quota definitions of the area (observability.md 1), which are built in. */
export const quotas: KnownDefinitions<ObservabilityDefinition> = { definitions, find: id => byId.get(id) }

/** Returns the default limit of a quota. */
export const defaultLimit = (name: QuotaName): number => facts[name].default_limit
