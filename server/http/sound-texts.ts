import type { BoundRoute } from '../../runtime/route.ts'
import { entries, isRecord, list, type Check } from '../../runtime/validation.ts'

/**
 * A route that takes no text with U+0000 or half of a surrogate pair, wherever it stands in a request: JSON can say both,
 * UTF-8 not the latter and PostgreSQL not the former, so that not everything could be kept, found and answered as it was
 * sent (docs/decisions/0007). They are faults like others.
 */
export const withSoundTexts = ({ route, run }: BoundRoute): BoundRoute => ({
  route,
  run(request, faults, context, tokens) {
    // What is in order is found to be so without naming anything.
    if (isRecord(request) && !isWhole(request)) {
      const { body, ...parameters } = request
      areSound(parameters, faults)
      // The fields of a body are named from the body on.
      areSound(body, faults)
    }
    return run(request, faults, context, tokens)
  },
})

/** Whether all texts of a value are sound, names of members too. Bytes, files and streams hold none. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return isSound(value)
  if (Array.isArray(value)) return value.every(isWhole)
  if (!isRecord(value)) return true
  for (const name in value) if (!isSound(name) || !isWhole(value[name])) return false
  return true
}

/** The same, with those that are not among the faults. */
const areSound: Check = (value, faults) => {
  if (typeof value === 'string') return isSound(value) || faults.add('', `must not hold ${what}`)
  if (Array.isArray(value)) return list(value, '', faults, areSound)
  if (!isRecord(value)) return true
  const { count } = faults
  if (!Object.keys(value).every(isSound)) faults.add('', `must have no member whose name holds ${what}`)
  entries(value, faults, areSound)
  return faults.count === count
}

const isSound = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const what = 'U+0000 or half of a surrogate pair'
