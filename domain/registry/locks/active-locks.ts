import { artifactLocked } from '../../../output/registry/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { isActive } from '../values/expiry.ts'
import { lockCollection, protectedCollection, tagTarget } from './locks-store.ts'

/** The digests and tags of a repository that a change deletes, or that it takes from their artifact. */
export interface Touched {
  readonly digests?: readonly string[]
  readonly tags?: readonly string[]
}

/** The value of `locked_until` of an artifact that a lock without end protects: later than every other time. */
const withoutEnd = '9999-12-31T23:59:59.999Z'

/** The longest list of targets in one read. */
const batch = 500

/**
 * Returns the ids of the ACTIVE deployment locks that protect one of these digests or tags, in ascending order; `now` is
 * in milliseconds since 1970. The caller holds the lock of the repository's row if a change follows.
 */
export async function activeLocks(
  reader: Reader,
  repository: string,
  { digests = [], tags = [] }: Touched,
  now: number,
): Promise<readonly string[]> {
  const targets = [...digests, ...tags.map(tagTarget)]
  const found = new Set<string>()
  for (let i = 0; i < targets.length; i += batch) {
    const where = { repository_id: repository, target: targets.slice(i, i + batch) }
    for await (const { value } of reader.each(protectedCollection, where))
      if (isActive(value, now)) found.add(value.lock_id)
  }
  return [...found].toSorted()
}

/** Throws ARTIFACT_LOCKED if an ACTIVE deployment lock protects one of these digests or tags. */
export async function requireUnlocked(
  reader: Reader,
  repository: string,
  touched: Touched,
  now: number,
): Promise<void> {
  const locks = await activeLocks(reader, repository, touched, now)
  if (locks.length > 0) throw locked('the artifact', locks)
}

/** Throws ARTIFACT_LOCKED if a deployment lock of a repository is ACTIVE. */
export async function requireNoLock(reader: Reader, repository: string, now: number): Promise<void> {
  const active: string[] = []
  for await (const { id, value } of reader.each(lockCollection, { repository_id: repository }))
    if (isActive(value, now)) active.push(id)
  if (active.length > 0) throw locked('the repository', active)
}

const locked = (what: string, locks: readonly string[]) =>
  artifactLocked(
    `active deployment locks protect ${what}: ${locks.slice(0, 10).join(', ')}; delete them first`,
    { lock_ids: locks.join(',') },
    { precondition: locks.slice(0, 100).map(subject => ({ type: 'LOCK', subject, description: 'must have ended' })) },
  )

/** Returns the latest end of all locks that protect an artifact, in the form of `locked_until`. */
export async function protectedUntil(reader: Reader, repository: string, digest: string): Promise<string> {
  let latest = ''
  for await (const { value } of reader.each(protectedCollection, { repository_id: repository, target: digest })) {
    const end = value.expire_time ?? withoutEnd
    if (end > latest) latest = end
  }
  return latest
}
