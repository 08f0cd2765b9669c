import type { BoundRoute } from '../../runtime/route.ts'
import { entries, isRecord, list, type Check } from '../../runtime/validation.ts'

/**
 * Wraps a route so that it refuses text with U+0000 or an unpaired surrogate anywhere in a request. JSON can express
 * both; UTF-8 cannot express the latter, nor PostgreSQL the former, so such text could not be stored, found and
 * answered unchanged (docs/decisions/0007). The answer reports these faults together with all other faults.
 */
export const withSoundTexts = ({ route, run }: BoundRoute): BoundRoute => ({
  route,
  run(request, faults, context, tokens) {
    // A first pass over valid text computes no field names.
    if (isRecord(request) && !isWhole(request)) {
      const { body, ...parameters } = request
      areSound(parameters, faults)
      // Fields of a body are named relative to the body.
      areSound(body, faults)
    }
    return run(request, faults, context, tokens)
  },
})

/** Whether all texts of a value are valid, the names of members included. Bytes, files and streams hold no text. */
function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return isSound(value)
  if (Array.isArray(value)) return value.every(isWhole)
  if (!isRecord(value)) return true
  for (const name in value) if (!isSound(name) || !isWhole(value[name])) return false
  return true
}

/**
 * Adds a fault for each list item or member with an invalid text or name; returns true if all texts of the value are
 * valid.
 */
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
