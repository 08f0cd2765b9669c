import { tagImmutable } from '../../../output/registry/errors.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { matchesAny } from '../../resources/glob.ts'

/** Returns whether the rules of a repository forbid that a tag moves or goes. */
export const isImmutable = (
  { immutable_tag_exceptions, tag_mutability }: Pick<StoredRepository, 'immutable_tag_exceptions' | 'tag_mutability'>,
  tag: string,
): boolean => tag_mutability === 'REGISTRY_TAG_MUTABILITY_IMMUTABLE' && !matchesAny(immutable_tag_exceptions, tag)

/** Throws TAG_IMMUTABLE if one of the tags can neither move nor go. */
export function requireMutable(repository: StoredRepository, tags: readonly string[]): void {
  const tag = tags.find(name => isImmutable(repository, name))
  if (tag === undefined) return
  throw tagImmutable(`the tag ${tag} is immutable in its repository`, {
    precondition: [{ type: 'TAG', subject: tag, description: 'must be an exception of the immutable tags' }],
  })
}
