import { isRecord } from '../read/pointer.ts'
import type { Json } from './types.ts'

/** Whether a value is plain data; parsed documents are, and are not deeper than recursion can go. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return true
  if (Array.isArray(value)) return value.every(isJson)
  return isRecord(value) && Object.values(value).every(isJson)
}
