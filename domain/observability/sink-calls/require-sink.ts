import { destinationInvalid } from '../../../output/observability/errors.ts'
import type { LogDestinationUpdate, LogExclusionInput, LogSinkUpdate } from '../../../output/observability/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { OutboundCalls } from '../outbound/outbound-calls.ts'
import { destinationKinds } from '../sinks/destination.ts'
import { SinkFilter } from '../sinks/sink-filter.ts'

/**
 * Checks what the schema of a sink cannot say about its queries. Throws SELECTOR_EMPTY and QUERY_… errors at the field
 * of the faulty query, disabled exclusions included.
 */
export function requireQueries({ exclusions = [], filter = '' }: Pick<LogSinkUpdate, 'exclusions' | 'filter'>): void {
  const each = ({ filter: query, name }: LogExclusionInput) => ({ name, filter: query, disabled: false })
  void new SinkFilter({ filter, exclusions: exclusions.map(each) })
}

/** Throws DESTINATION_INVALID unless a destination has exactly one member. */
export function requireOneKind(destination: LogDestinationUpdate): void {
  if (kindsOf(destination) !== 1) throw notOneKind()
}

/** Throws DESTINATION_INVALID for the destination of an update, which may leave its kind out, if it has several members. */
export function requireNoSeveralKinds(destination: LogDestinationUpdate): void {
  if (kindsOf(destination) > 1) throw notOneKind()
}

const kindsOf = (destination: LogDestinationUpdate): number =>
  destinationKinds.filter(kind => destination[kind] !== undefined).length

const notOneKind = () => faultAt(destinationInvalid, 'destination', 'must have exactly one of bucket, webhook and otlp')

/** Throws DESTINATION_INVALID for a URL to which the platform sends nothing (observability.md 4.7). */
export async function requireUrls(
  outbound: Pick<OutboundCalls, 'refusal'>,
  { otlp, webhook }: LogDestinationUpdate,
): Promise<void> {
  for (const [kind, url, http] of [
    ['webhook', webhook?.url, 'to-private-targets'],
    ['otlp', otlp?.url, 'allowed'],
  ] as const) {
    const fault = url === undefined ? undefined : await outbound.refusal(url, http)
    if (fault !== undefined) throw faultAt(destinationInvalid, `destination.${kind}.url`, fault)
  }
}
