import {
  workspaceLabel,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { isRecord } from '../../../../runtime/validation.ts'

/** The traces in an answer of Jaeger, in the JSON of OTLP. */
export interface JaegerAnswer {
  /** The text of a request of OTLP with the spans of the workspace. */
  readonly own: string
  /** The number of traces of all workspaces. */
  readonly count: number
}

/**
 * Returns the traces in an answer of Jaeger; undefined for a value of another form. What other workspaces have sent is not
 * read any further, so that nothing in it makes the answer unreadable.
 */
export function jaegerAnswer(answer: unknown, workspace: LabelledWorkspace): JaegerAnswer | undefined {
  const result = memberOf(answer, 'result')
  const resources = isRecord(result) ? listIn(result, 'resourceSpans') : undefined
  const ids = resources && traceIdsOf(resources)
  if (resources === undefined || ids === undefined) return undefined
  const own = resources.filter(each => workspace === undefined || isOwn(each, workspace))
  const text = textOf({ resourceSpans: own.map(withoutScopeAttributes) })
  return text === undefined ? undefined : { own: text, count: ids.size }
}

/** Returns the JSON of a value; undefined if the value has too many levels. */
function textOf(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Leaves out the attributes of scopes, which the platform does not check when senders send them. */
const withoutScopeAttributes = (resourceSpans: unknown): unknown => ({
  resource: memberOf(resourceSpans, 'resource'),
  scopeSpans: listIn(resourceSpans, 'scopeSpans')?.map(each => {
    const scope = memberOf(each, 'scope')
    return {
      scope: { name: memberOf(scope, 'name'), version: memberOf(scope, 'version') },
      spans: memberOf(each, 'spans'),
    }
  }),
})

const memberOf = (value: unknown, member: string): unknown => (isRecord(value) ? value[member] : undefined)

/** Whether Jaeger answers that it has no such trace, unlike a server of other paths. */
export function isAbsent(answer: unknown): boolean {
  return memberOf(memberOf(answer, 'error'), 'httpCode') === 404
}

/** Returns the list in a member, empty if the member is absent; undefined for another value. */
function listIn(value: unknown, member: string): readonly unknown[] | undefined {
  const list = isRecord(value) ? (value[member] ?? []) : undefined
  return Array.isArray(list) ? list : undefined
}

/** Returns the ids of the traces in resources; undefined for values of another form. */
function traceIdsOf(resources: readonly unknown[]): ReadonlySet<string> | undefined {
  const ids = new Set<string>()
  for (const resource of resources)
    for (const scope of listIn(resource, 'scopeSpans') ?? [undefined])
      for (const span of listIn(scope, 'spans') ?? [undefined]) {
        const id = memberOf(span, 'traceId')
        if (typeof id !== 'string') return undefined
        ids.add(id)
      }
  return ids
}

/** Whether a resource has the label of the workspace, and no other. */
function isOwn(resourceSpans: unknown, workspace: string): boolean {
  const attributes = listIn(memberOf(resourceSpans, 'resource'), 'attributes') ?? []
  const labels = attributes.filter(attribute => memberOf(attribute, 'key') === workspaceLabel)
  return labels.length > 0 && labels.every(label => memberOf(memberOf(label, 'value'), 'stringValue') === workspace)
}
