import type { LogSinkUpdate } from '../../../output/observability/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'
import { maxObjectNameBytes, objectNameFault } from '../../resources/object-name-fault.ts'
import { longestNameBytes } from '../sinks/object-name.ts'

const rules = rulesOf<LogSinkUpdate>()

/** The shortest and the longest time for which entries are collected, in milliseconds. */
const [minFlushMs, maxFlushMs] = [60_000, 3_600_000]

/** The rules for the bodies of log sinks beyond their schema (step 5). */
export const logSinkForm: readonly FormRule[] = [
  rules(['destination'], function* ({ destination }) {
    const text = destination?.bucket?.flush_interval
    const ms = text === undefined ? minFlushMs : durationMs(text)
    if (!(ms >= minFlushMs && ms <= maxFlushMs))
      yield { field: 'destination.bucket.flush_interval', description: 'must be between 60s and 3600s' }
  }),
  rules(['destination'], function* ({ destination }) {
    const description = prefixFault(destination?.bucket?.prefix ?? '')
    if (description !== undefined) yield { field: 'destination.bucket.prefix', description }
  }),
  rules(['exclusions'], function* ({ exclusions = [] }) {
    const seen = new Set<string>()
    for (const [i, { name }] of exclusions.entries()) {
      if (seen.has(name)) yield { field: `exclusions[${i}].name`, description: 'is the name of another exclusion too' }
      seen.add(name)
    }
  }),
]

/** The largest size of a prefix in bytes of UTF-8, with which each object of a sink has a valid name. */
const maxPrefixBytes = maxObjectNameBytes - longestNameBytes

/** Returns the fault of a prefix for the names of objects, as a predicate; undefined for a valid one. */
function prefixFault(prefix: string): string | undefined {
  if (Buffer.byteLength(prefix) > maxPrefixBytes) return `must have at most ${maxPrefixBytes} bytes of UTF-8`
  return prefix === '' ? undefined : objectNameFault(prefix)
}
