import type { Labels } from '../../metrics/samples.ts'
import {
  selectorText,
  workspaceLabel,
  type LabelledWorkspace,
  type WrittenMatcher,
} from '../queries/workspace-label.ts'

/** What the queries for a service graph ask for, or answer. */
export interface GraphParts<Part> {
  /** The calls of each edge. */
  readonly calls: Part
  /** The calls of each edge that have failed. */
  readonly failed: Part
  /** The calls by their durations in seconds, as their sources have recorded them: cumulative, with the label `le`. */
  readonly client: Part
  /** The calls by their durations, as their targets have recorded them. */
  readonly server: Part
}

/**
 * The metrics that the metrics generator of Tempo and the service graph connector of the OpenTelemetry Collector write.
 * The connector calls its histograms by the shorter names; most exporters add the unit, and some do not.
 */
const metrics: GraphParts<readonly string[]> = {
  calls: ['traces_service_graph_request_total'],
  failed: ['traces_service_graph_request_failed_total'],
  client: ['traces_service_graph_request_client_seconds_bucket', 'traces_service_graph_request_client_bucket'],
  server: ['traces_service_graph_request_server_seconds_bucket', 'traces_service_graph_request_server_bucket'],
}

/** The labels that tell edges apart. */
const edgeLabels = ['client', 'server', 'connection_type', 'virtual_node'] as const

/** The dimensions that a generator makes of the label of the workspace, for each side of an edge. */
const [clientOwner, serverOwner] = [`client_${workspaceLabel}`, `server_${workspaceLabel}`] as const

/**
 * Returns the labels of the series of a workspace in a store without tenants, one row for each way in which they come:
 * through the platform, which adds its label, or from a generator that knows the workspaces of both spans of an edge or of
 * its single span. An edge between two workspaces belongs to neither of them.
 */
const ownersOf = (workspace: string): readonly Labels[] => [
  { [workspaceLabel]: workspace },
  { [workspaceLabel]: '', [clientOwner]: workspace, [serverOwner]: workspace },
  { [workspaceLabel]: '', [clientOwner]: workspace, [serverOwner]: '' },
  { [workspaceLabel]: '', [clientOwner]: '', [serverOwner]: workspace },
]

/** Whether an element of an answer belongs to a workspace. */
export const isOwnEdge = (labels: Labels, workspace: LabelledWorkspace): boolean =>
  workspace === undefined ||
  ownersOf(workspace).some(owner => Object.entries(owner).every(([name, value]) => (labels[name] ?? '') === value))

/** Returns the instant queries, in PromQL, for the service graph of a workspace in the `rangeMs` milliseconds until then. */
export function graphQueries(rangeMs: number, workspace: LabelledWorkspace): GraphParts<string> {
  const owners = workspace === undefined ? [{}] : ownersOf(workspace)
  const labels = workspace === undefined ? edgeLabels : [...edgeLabels, workspaceLabel, clientOwner, serverOwner]
  const queryOf = (names: readonly string[], ...more: readonly string[]): string => {
    const increases = names.flatMap(name =>
      owners.map(
        owner => `increase(${selectorText(matchersOf({ __name__: name, ...owner }), undefined)}[${rangeMs}ms])`,
      ),
    )
    return `sum by (${[...labels, ...more].join(',')}) (${increases.join(' or ')})`
  }
  return {
    calls: queryOf(metrics.calls),
    failed: queryOf(metrics.failed),
    client: queryOf(metrics.client, 'le'),
    server: queryOf(metrics.server, 'le'),
  }
}

const matchersOf = (labels: Labels): readonly WrittenMatcher[] =>
  Object.entries(labels).map(([name, value]) => ({ name, operator: '=', value }))
