import type { QueryFaults } from '../../promql/language/faults.ts'
import type { Matcher } from '../../promql/matcher.ts'

/** The label by which a store without tenants tells workspaces apart (observability.md 4.6). */
export const workspaceLabel = 'workspace_id'

/** What a selector of a store needs of a matcher. */
export type WrittenMatcher = Pick<Matcher, 'name' | 'operator' | 'value'>

/**
 * The workspace whose telemetry alone a query may read, by its label; undefined for a store with tenants, which learns
 * the workspace from a header.
 */
export type LabelledWorkspace = string | undefined

/**
 * Throws QUERY_FEATURE_UNSUPPORTED for the name of the label of the workspace, which a query may not use: another value
 * would be the telemetry of another workspace.
 */
export function admitName(name: string, workspace: LabelledWorkspace, position: number, faults: QueryFaults): void {
  if (workspace !== undefined && name === workspaceLabel) throw faults.unsupported(position, 'reserved_label')
}

/**
 * Writes a string as PromQL and LogQL read it, in double quotes. The escapes of JSON are escapes of Go too, so the string
 * ends where this function ends it, whatever its characters are.
 */
export const literalText = (text: string): string => JSON.stringify(text)

/** Writes the selector of some matchers and of the workspace. */
export function selectorText(matchers: readonly WrittenMatcher[], workspace: LabelledWorkspace): string {
  const own: readonly WrittenMatcher[] =
    workspace === undefined ? [] : [{ name: workspaceLabel, operator: '=', value: workspace }]
  const written = [...own, ...matchers].map(
    ({ name, operator, value }) => `${labelText(name)}${operator}${literalText(value)}`,
  )
  return `{${written.join(',')}}`
}

/** Names with other characters need quotes, which Prometheus reads from version 3 on. */
const labelText = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : literalText(name))
