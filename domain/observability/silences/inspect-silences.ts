import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { silenceMatchers } from './silence-matchers.ts'
import { silenceCollection, silenceKind, type StoredSilence } from './silences-store.ts'

/** Yields the silences that end before they start, and those whose matchers cannot be compiled or match all alerts. */
export async function* inspectSilences(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(silenceCollection)) {
    const message = faultOf(value)
    if (message !== undefined) yield { resourceType: silenceKind.type, id, message }
  }
}

function faultOf({ end_time, matchers, start_time }: StoredSilence): string | undefined {
  if (start_time > end_time) return `starts at ${start_time}, after its end at ${end_time}`
  try {
    const isOpen = silenceMatchers(matchers).every(({ test }) => test(''))
    return isOpen ? 'matches alerts that lack all of its labels' : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return `has a matcher that cannot be compiled: ${error.message.slice(0, 80)}`
    throw error
  }
}
