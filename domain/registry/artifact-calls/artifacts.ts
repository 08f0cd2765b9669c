import type { ArtifactHandlers, TagsHandlers } from '../../../output/registry/handlers.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { deleteArtifactCall, deleteTagCall } from './delete-calls.ts'
import { getArtifact } from './get-artifact.ts'
import { listArtifacts } from './list-artifacts.ts'

/** Returns the handlers of artifacts. */
export const artifacts = (environment: RegistryEnvironment): ArtifactHandlers => ({
  listArtifacts: (request, context) => listArtifacts(environment, request, context),
  getArtifact: (request, context) => getArtifact(environment, request, context),
  async deleteArtifact(request, context) {
    return deleteArtifactCall(environment, request, context)
  },
})

/** Returns the handlers of the tags of artifacts. */
export const tags = (environment: RegistryEnvironment): TagsHandlers => ({
  async deleteTag(request, context) {
    return deleteTagCall(environment, request, context)
  },
})
