import type { Avatar } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The picture of a user; the id is the user's. */
export interface StoredAvatar extends Avatar {
  readonly id: string
}

export const avatars: Collection<StoredAvatar> = { name: 'iam_avatars', id: 'id' }

/** When a user last changed its picture, also where there is none by now; the id is the user's. */
export interface AvatarChanges {
  readonly id: string
  /** RFC 3339, the newest last; those of the last hour, and no more than may be. */
  readonly times: readonly string[]
}

export const avatarChanges: Collection<AvatarChanges> = { name: 'iam_avatar_changes', id: 'id' }
