import type { LabelSet, SamplePoint } from '../../../../output/observability/types.ts'
import { formatValue } from '../../../../domain/observability/promql/format-value.ts'
import {
  workspaceLabel,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { setMember } from '../../../../runtime/json.ts'
import { isRecord } from '../../../../runtime/validation.ts'

/** Thrown for a value that is not what the API of a member answers. */
export class MalformedResult extends Error {}

/** Returns a list. Throws MalformedResult for another value. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new MalformedResult()
}

/** Returns an object. Throws MalformedResult for another value. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new MalformedResult()
}

/**
 * Returns the labels of a series without the label of the workspace. Throws MalformedResult for a series of another
 * workspace, and for values that are not texts.
 */
export function labelsOf(value: unknown, workspace: LabelledWorkspace): LabelSet {
  const labels: LabelSet = {}
  for (const [name, text] of Object.entries(recordOf(value))) {
    if (typeof text !== 'string') throw new MalformedResult()
    if (workspace === undefined || name !== workspaceLabel) setMember(labels, name, text)
    else if (text !== workspace) throw new MalformedResult()
  }
  return labels
}

/** Returns a point of `[seconds, value]`; the value of a string stays as it is. */
export function pointOf(value: unknown, isText = false): SamplePoint {
  const [seconds, text] = listOf(value)
  if (typeof seconds !== 'number' || typeof text !== 'string') throw new MalformedResult()
  return { time: timeOf(seconds), value: isText ? text : formatValue(numberOf(text)) }
}

/** Returns the number that the text of a value stands for. */
export function numberOf(text: string): number {
  if (text === '+Inf' || text === '-Inf') return text === '+Inf' ? Infinity : -Infinity
  const value = Number(text)
  if (text.trim() === '' || (Number.isNaN(value) && text !== 'NaN')) throw new MalformedResult()
  return value
}

function timeOf(seconds: number): string {
  const time = new Date(Math.round(seconds * 1000))
  // RFC 3339 has years of four digits only.
  if (!(time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9999)) throw new MalformedResult()
  return time.toISOString()
}
