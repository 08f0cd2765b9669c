import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import { lockKind } from '../locks/lock-kind.ts'
import { lockCollection, protectedCollection, tagTarget, type StoredLock } from '../locks/locks-store.ts'
import { protectedUntil } from '../locks/active-locks.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that deployment locks protect what they name until they end, and that artifacts know their locks. */
export async function* inspectLocks(reader: Reader): Findings {
  for await (const { id, value } of reader.each(lockCollection))
    for (const message of await lockFaults(reader, value)) yield { resourceType: lockKind.type, id, message }
  for await (const { id, value } of reader.each(protectedCollection))
    if (!(await reader.get(lockCollection, value.lock_id)))
      yield { resourceType: lockKind.type, id, message: `protects for lock ${value.lock_id}, which does not exist` }
  for await (const { id, value } of reader.each(artifactCollection)) {
    const until = await protectedUntil(reader, value.repository_id, value.digest)
    if (until === value.locked_until) continue
    const message = `is locked until ${value.locked_until || 'never'}; its locks say ${until || 'never'}`
    yield { resourceType: 'registry.artifacts', id, message }
  }
}

async function lockFaults(reader: Reader, lock: StoredLock): Promise<readonly string[]> {
  const faults: string[] = []
  if (!(await reader.get(repositoryCollection, lock.repository_id)))
    faults.push(`belongs to repository ${lock.repository_id}, which does not exist`)
  const missing = new Set(lock.protected_digests)
  for await (const { value } of reader.each(protectedCollection, { lock_id: lock.id })) {
    const isTag = value.target.startsWith(tagTarget(''))
    if (isTag ? !lock.protect_tags : !missing.delete(value.target)) faults.push(`protects ${value.target} without need`)
    if (value.expire_time !== lock.expire_time)
      faults.push(`protects ${value.target} until ${value.expire_time ?? 'its deletion'}, not until its own end`)
  }
  for (const digest of missing) faults.push(`does not protect ${digest}`)
  return faults
}
