import type { AttributeValue } from '../../../output/observability/types.ts'
import type { LoadedTrace } from './loaded-trace.ts'
import type { TraceSpan } from './span.ts'
import type { TraceQuery } from './trace-engine.ts'

type Conditions = Pick<TraceQuery, 'attributes' | 'maxDuration' | 'minDuration' | 'service' | 'spanName'>

/** Whether the duration of a trace is in the range of a search. */
export const fitsDuration = ({ duration }: LoadedTrace, { maxDuration, minDuration }: Conditions): boolean =>
  duration >= (minDuration ?? 0n) && (maxDuration === undefined || duration <= maxDuration)

/** Returns the test whether one span has the service, the name and all attributes of a search. */
export function spanTest({ attributes, service, spanName }: Conditions): (span: TraceSpan) => boolean {
  const wanted = Object.entries(attributes)
  return span =>
    (service === '' || span.resource.service === service) &&
    (spanName === '' || span.name === spanName) &&
    wanted.every(([key, value]) => equals(span.attributes, key, value) || equals(span.resource.attributes, key, value))
}

/** Whether an attribute, or an element of its list, equals a value. */
function equals(attributes: TraceSpan['attributes'], key: string, wanted: string | number | boolean): boolean {
  const value = attributeOf(attributes, key)
  return Array.isArray(value) ? value.includes(wanted) : value === wanted
}

/** Returns the value of an attribute; undefined if it is absent. */
export const attributeOf = (attributes: TraceSpan['attributes'], key: string): AttributeValue | undefined =>
  Object.hasOwn(attributes, key) ? attributes[key] : undefined
