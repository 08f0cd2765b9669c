import { isRecord } from '../runtime/validation.ts'
import { rpcOf } from '../runtime/status.ts'

/** The name of a detail of google.rpc. */
export type DetailName = 'BadRequest' | 'PreconditionFailure' | 'QuotaFailure' | 'ResourceInfo' | 'RetryInfo'

/** The endings of the reasons that are about a resource (conventions §7). */
const endings = ['_NOT_FOUND', '_ALREADY_EXISTS', '_STATE_INVALID', '_IN_USE']

/** The details of each RPC code (conventions §7): alternatives, keyed by the code. */
const ofCodes: Readonly<Record<string, readonly (readonly DetailName[])[]>> = {
  ALREADY_EXISTS: [['ResourceInfo']],
  FAILED_PRECONDITION: [['PreconditionFailure']],
  INVALID_ARGUMENT: [['BadRequest']],
  RESOURCE_EXHAUSTED: [['QuotaFailure'], ['RetryInfo']],
  UNAVAILABLE: [['RetryInfo']],
}

/**
 * Returns the details that an error of a family must have in addition to ErrorInfo: alternatives, each a list of names.
 * The rule is written independently of the generator, whose rule it checks.
 */
export function familyOf(reason: string, rpc: string): readonly (readonly DetailName[])[] {
  // A path is no resource.
  if (reason === 'ROUTE_NOT_FOUND') return [[]]
  const ofReason: readonly DetailName[] = endings.some(ending => reason.endsWith(ending)) ? ['ResourceInfo'] : []
  return (ofCodes[rpc] ?? [[]]).map(names => [...new Set([...names, ...ofReason])].toSorted())
}

/** Returns a line about the details that an answered google.rpc.Status lacks, or undefined if no detail is missing. */
export function lackOf(status: unknown): string | undefined {
  if (!isRecord(status) || !Array.isArray(status.details)) return 'the answer is no google.rpc.Status'
  const details = status.details.filter(isRecord)
  const names = details.map(detail => String(detail['@type']).split('.').at(-1))
  const reason = String(details[0]?.reason)
  // An absent row that a body names keeps its reason and has the code INVALID_ARGUMENT, so the code of the answer counts.
  const family = familyOf(reason, rpcOf(status.code) ?? '')
  if (family.some(wanted => wanted.every(name => names.includes(name)))) return undefined
  return `${reason} has ${names.join(', ')} and lacks ${family.map(wanted => wanted.join(' and ')).join(', or ')}`
}
