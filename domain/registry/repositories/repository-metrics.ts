import type { Worker } from '../../ports/workers.ts'
import { gaugeSamples, resourceMetrics } from '../../resources/resource-metrics.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { repositoryCollection } from './repositories-store.ts'

/** Sends the sizes of the repositories of the native engine to observability, as metrics of their workspaces. */
export const repositoryMetrics = (environment: RegistryEnvironment): Worker =>
  resourceMetrics('registry.metrics', environment, async function* (time) {
    for await (const { value: repository } of environment.store.each(repositoryCollection, { engine: nativeEngine })) {
      const { artifact_count, id, name, size_bytes, tag_count, workspace_id: workspace } = repository
      const values = {
        platform_registry_repository_bytes: size_bytes,
        platform_registry_repository_artifacts: artifact_count,
        platform_registry_repository_tags: tag_count,
      }
      yield { workspace, samples: gaugeSamples(values, { labels: { resource_id: id, repository_name: name }, time }) }
    }
  })
