import type { RegistryArea } from '../../../output/registry/area.ts'
import type { Resources } from '../../resources/resources.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'

/** The calls of the kind of repositories. */
export type RepositoryResources = Resources<StoredRepository, RegistryArea>
