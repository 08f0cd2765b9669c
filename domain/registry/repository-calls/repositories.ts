import type { RepositoryHandlers } from '../../../output/registry/handlers.ts'
import type {
  ListRepositoriesRequest,
  ParsedCreateRepositoryRequest,
  Repository,
} from '../../../output/registry/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { quotas } from '../quotas/quotas.ts'
import { isOverLimit } from '../quotas/read-only.ts'
import { regionOf } from '../repositories/place-repository.ts'
import { requireServable } from '../repositories/servable-fields.ts'
import { repositoryAnswer } from '../repositories/repository-answer.ts'
import { repositoryKind } from '../repositories/repository-kind.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import type { RepositoryResources } from './repository-resources.ts'
import { deleteRepository } from './delete-repository.ts'

/** Returns the handlers of repositories. */
export function repositories(environment: RegistryEnvironment): RepositoryHandlers {
  const resources: RepositoryResources = new Resources(repositoryKind, environment)
  return {
    listRepositories: (request, context) => listRepositories(environment, request, context),
    async getRepository(request) {
      const stored = await resources.read(request)
      return repositoryAnswer(environment, request.engine, stored.value.path, stored)
    },
    async createRepository(request, context) {
      requireServable(request.engine, request.body)
      return createRepository(environment, resources, request, context)
    },
    async updateRepository(request, context) {
      requireServable(request.engine, request.body)
      return resources.update(request, context)
    },
    deleteRepository: (request, context) => deleteRepository(environment, resources, request, context),
  }
}

async function listRepositories(
  environment: RegistryEnvironment,
  { engine, workspace }: ListRepositoriesRequest,
  { query }: ListContext,
): Promise<Page<Repository>> {
  const { store, taxonomy } = environment
  const where = { workspace_id: workspace, engine }
  const page = await store.page(repositoryCollection, query, where, { members: ['path'] })
  if (page.items.length === 0) await requirePlace(store, taxonomy, repositoryKind, { workspace, engine })
  const items = page.items.map(stored => repositoryAnswer(environment, engine, stored.members[0], stored))
  return { ...page, items }
}

function createRepository(
  environment: RegistryEnvironment,
  resources: RepositoryResources,
  request: ParsedCreateRepositoryRequest,
  context: CallContext,
) {
  const { taxonomy } = environment
  const wanted = newRepository(resources, request, context)
  // The transaction may run again, and then finds the region again.
  const found = { region: '' }
  return resources.create(request, context, wanted, {
    refer: async tx => void (found.region = await regionOf(environment, tx, wanted)),
    async complete(tx) {
      await quotas.requireRoom(tx, taxonomy, wanted.workspace_id, [{ definition: 'registry.repositories' }])
      const names = await taxonomy.namesOf(tx, wanted.workspace_id)
      // A repository that is created while the workspace stores too much takes no pushes either.
      const isFull = await isOverLimit(tx, wanted.workspace_id)
      const state = `REGISTRY_REPOSITORY_STATE_${isFull ? 'READ_ONLY' : 'ACTIVE'}` as const
      const path = [names?.organisation, names?.workspace, wanted.name].join('/')
      return { row: { ...wanted, ...found, path, state } }
    },
  })
}

function newRepository(
  resources: RepositoryResources,
  request: ParsedCreateRepositoryRequest,
  context: CallContext,
): StoredRepository {
  const { etag: _precondition, ...settable } = request.body
  return {
    ...resources.standard(request, context),
    ...settable,
    state: 'REGISTRY_REPOSITORY_STATE_ACTIVE',
    artifact_count: 0,
    tag_count: 0,
    size_bytes: 0,
    path: '',
  }
}
