import type { Reader } from '../../ports/store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { matchesAny } from '../../resources/glob.ts'
import { scanPolicyCollection, type StoredScanPolicy } from './scan-policies-store.ts'

/** A scan policy, and the version of its row, which grows with every change. */
export interface EffectivePolicy {
  readonly policy: StoredScanPolicy
  readonly version: number
}

/**
 * Returns the scan policy that counts for the artifacts of a repository: of the enabled ones whose patterns match its
 * name, the one of the highest priority, then the oldest (registry.md 1). Undefined if none matches.
 */
export async function effectivePolicy(
  reader: Reader,
  { engine, name, workspace_id }: Pick<StoredRepository, 'engine' | 'name' | 'workspace_id'>,
): Promise<EffectivePolicy | undefined> {
  let found: EffectivePolicy | undefined
  for await (const { value, version } of reader.each(scanPolicyCollection, { workspace_id, engine, enabled: true }))
    if (matchesAny(value.repository_patterns, name) && (!found || precedes(value, found.policy)))
      found = { policy: value, version }
  return found
}

function precedes(one: StoredScanPolicy, other: StoredScanPolicy): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority
  if (one.create_time !== other.create_time) return one.create_time < other.create_time
  return one.id < other.id
}
