import type { Schema } from '../model/types.ts'
import type { Emission } from './emission.ts'
import type { OutputFile } from './file.ts'
import { heldAs } from './int64/held.ts'
import type { Hoisted } from './hoisted.ts'
import { int64Limits } from './int64/limits.ts'
import type { Doc } from './layout/doc.ts'
import { numeral, quote } from './layout/typescript.ts'
import type { RuntimeSymbol } from './runtime-symbols.ts'

/**
 * Makes the call of a runtime function that checks the current value. `args` follow the arguments that every check
 * gets: the value, its field and the faults.
 */
export type Run = (symbol: RuntimeSymbol, ...args: readonly Doc[]) => Doc

const formatChecks: Readonly<Record<string, RuntimeSymbol>> = {
  'date-time': 'isDateTime',
  date: 'isDate',
  time: 'isTime',
  duration: 'isDuration',
  uuid: 'isUuid',
  email: 'isEmail',
  byte: 'isBase64',
  uri: 'isUri',
  hostname: 'isHostname',
  ipv4: 'isIpv4',
  ipv6: 'isIpv6',
}

/** The descriptions of formats in faults, for formats whose name alone does not describe the expected text. */
const formatNames: Readonly<Record<string, string>> = { email: 'email, such as kim@example.com' }

/**
 * Returns the calls that check a text; each call guards the next call. The check of a format precedes the check of a
 * pattern, because people understand the name of a format better.
 */
export function textChain(
  schema: Extract<Schema, { kind: 'string' }>,
  run: Run,
  { file, hoisted, place }: { readonly file: OutputFile; readonly hoisted: Hoisted; readonly place: string },
): readonly Doc[] {
  const { minLength = 0, maxLength, pattern, format } = schema
  const limits = bounds(minLength, maxLength)
  const check = format !== undefined && Object.hasOwn(formatChecks, format) ? formatChecks[format] : undefined
  const chain: Doc[] = []
  if (limits.length > 0 && (check || pattern === undefined)) chain.push(run('text', ...limits))
  const regex = pattern === undefined ? [] : [hoisted.pattern(pattern, place)]
  if (check && format) {
    chain.push(run('formatted', file.runtime(check), quote(formatNames[format] ?? format), ...regex))
  } else if (pattern === undefined) return chain.length > 0 ? chain : [run('anyText')]
  else if (limits.length === 0) chain.push(run('matches', ...regex))
  else chain.push(run('text', String(minLength), String(maxLength ?? Infinity), ...regex))
  return chain
}

/** Returns bounds as trailing arguments, without the bounds that limit nothing. */
export function bounds(min: number, max: number | undefined): readonly string[] {
  if (max !== undefined) return [String(min), String(max)]
  return min > 0 ? [String(min)] : []
}

const int32: { readonly minimum?: number; readonly maximum?: number } = { minimum: -2147483648, maximum: 2147483647 }

/** Returns the calls that check a number; each call guards the next call. */
export function numberChain(schema: Extract<Schema, { kind: 'number' }>, run: Run, emission: Emission): readonly Doc[] {
  const as = heldAs(schema, emission)
  if (as) return [run(as === 'bigint' ? 'bigInteger' : 'integerText', ...int64Limits(schema))]
  const range: typeof int32 = schema.format === 'int32' ? int32 : {}
  const minimum = largest(schema.minimum, range.minimum)
  const maximum = smallest(schema.maximum, range.maximum)
  const low = minimum === undefined && maximum !== undefined ? -Infinity : minimum
  const limits = [low, maximum].filter(limit => limit !== undefined).map(numeral)
  const symbol = schema.wide ? 'int64' : schema.integer ? 'integer' : 'number'
  const chain = [run(symbol, ...limits)]
  if (schema.exclusiveMinimum || schema.exclusiveMaximum) {
    const above = schema.exclusiveMinimum ? schema.minimum : undefined
    const below = schema.exclusiveMaximum ? schema.maximum : undefined
    chain.push(run('between', numeral(above ?? -Infinity), numeral(below ?? Infinity)))
  }
  if (schema.multipleOf !== undefined) chain.push(run('multiple', numeral(schema.multipleOf)))
  return chain
}

const largest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
const smallest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
