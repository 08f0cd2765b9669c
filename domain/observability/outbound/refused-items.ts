import { Reader } from 'protobufjs/minimal.js'
import type { OtlpFormat } from '../sent-body.ts'
import { wireFields } from '../stacks/forwarding/wire-fields.ts'
import { isRecord } from '../../../runtime/validation.ts'

/** The members of a partial success that have the number of refused items, by signal. */
const counts = ['rejectedDataPoints', 'rejectedLogRecords', 'rejectedSpans'] as const

/** Returns the number of items that a receiver of OTLP says it has refused; 0 for an answer that does not say so. */
export function refusedItems(answer: Uint8Array, format: OtlpFormat): number {
  try {
    return format === 'otlp-json' ? inJson(answer) : inProtobuf(answer)
  } catch {
    return 0
  }
}

function inJson(answer: Uint8Array): number {
  const value: unknown = JSON.parse(new TextDecoder().decode(answer))
  const partial = isRecord(value) ? value['partialSuccess'] : undefined
  if (!isRecord(partial)) return 0
  const count = Number(counts.map(name => partial[name]).find(each => each !== undefined) ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

/** The numbers are fields 1 of all signals: partial_success, and its rejected items. */
function inProtobuf(answer: Uint8Array): number {
  for (const { bytes, number } of wireFields(answer)) {
    if (number !== 1 || bytes === undefined) continue
    for (const { number: inner, raw } of wireFields(bytes)) if (inner === 1) return varintAfterTag(raw)
  }
  return 0
}

const varintAfterTag = (raw: Uint8Array): number => new Reader(raw.subarray(1)).uint32()
