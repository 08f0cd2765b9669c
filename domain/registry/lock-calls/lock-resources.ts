import type { RegistryArea } from '../../../output/registry/area.ts'
import type { Resources } from '../../resources/resources.ts'
import type { StoredLock } from '../locks/locks-store.ts'

/** The calls of the kind of deployment locks. */
export type LockResources = Resources<StoredLock, RegistryArea>
