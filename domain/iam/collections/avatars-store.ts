import type { Avatar } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The picture of a user; the id is the id of the user. */
export interface StoredAvatar extends Avatar {
  readonly id: string
}

export const avatars: Collection<StoredAvatar> = { name: 'iam_avatars', id: 'id' }

/**
 * The times of a user's picture changes. The row remains after the picture is deleted; the id of the row is the id of
 * the user.
 */
export interface AvatarChanges {
  readonly id: string
  /**
   * The times in RFC 3339 of the last change and of the changes within the hour before it, oldest first; at most as
   * many times as the limit allows.
   */
  readonly times: readonly string[]
}

export const avatarChanges: Collection<AvatarChanges> = { name: 'iam_avatar_changes', id: 'id' }
