import { isRecord } from '../read/pointer.ts'
import type { Json } from './types.ts'

/** Whether a value is plain JSON data. The recursion is safe, because `load` limits the depth of documents. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return true
  if (Array.isArray(value)) return value.every(isJson)
  return isRecord(value) && Object.values(value).every(isJson)
}
