import {
  registry,
  registryForms,
  registryHandlers,
  registryProcedures,
  registryWorkers,
} from '../../domain/registry/area.ts'
import { PolicyRules } from '../../domain/registry/access/policy-rules.ts'
import { admitEngine } from '../../domain/registry/engines/admit-engine.ts'
import type { RegistryEnvironment } from '../../domain/registry/environment.ts'
import { registryHooks } from '../../domain/registry/hooks.ts'
import { registryFunctions } from '../../domain/registry/functions/registry-functions.ts'
import { ociPlane } from '../../domain/registry/plane/oci-plane.ts'
import { RetentionCounts } from '../../domain/registry/retention/retention-counts.ts'
import type { ScanParts } from '../../domain/registry/scans/scan-parts.ts'
import { registryArea as generated, type RegistryArea } from '../../output/registry/area.ts'
import type { RegistryHandlers } from '../../output/registry/handlers.ts'
import { area, type AreaModule } from '../area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { oncePer } from '../once-per.ts'
import { blobStoreHost } from './blob-checks.ts'
import { watchClusters } from './cluster-health.ts'
import { clusterEngines } from './cluster-client.ts'
import { registryContent } from './content.ts'
import { folderFaults } from './folder-faults.ts'
import { requireOtherHosts } from './engine-hosts.ts'
import { openBlobStore } from './open-blob-store.ts'
import { scannerParts } from './scanner.ts'
import { retentionMetrics } from './retention-metrics.ts'
import { blobFolder, bucketIn, registrySettings } from './settings.ts'

type Optional = 'iam' | 'observability' | 'storage' | 'topology' | 'vault'
type RegistryParts = AreaEnvironment<RegistryArea, never, Optional, typeof registrySettings>

/** Returns the area of repositories, artifacts, and the rules about both. `scanner` replaces parts of the scanner in tests. */
export function registryArea(scanner: Partial<ScanParts> = {}): AreaModule {
  const environmentOf = oncePer((parts: RegistryParts) => ({ ...mountedRegistry(parts), ...scanner }))
  return area<RegistryArea, RegistryHandlers, never, Optional, typeof registrySettings>({
    generated,
    ...registry,
    handlers: parts => registryHandlers(environmentOf(parts)),
    settings: registrySettings,
    host: blobStoreHost,
    isSecret: ['getCredentials'],
    addedEngines: ({ settings }) => settings['registry.engines'].map(({ name }) => name),
    admit:
      () =>
      ({ operationId }, _context, _given, engine) =>
        admitEngine(operationId, engine),
    async open(parts) {
      const { dataDir, log, settings } = parts
      const { 'registry.blob_store': blobStore } = settings
      const bucket = bucketIn(blobStore)
      const bucketFaults = await openBlobStore(parts, bucket)
      const notices = bucket === undefined ? folderFaults(blobFolder(blobStore, dataDir)) : bucketFaults
      return { ...watchClusters(settings['registry.engines'], log), notices }
    },
    hooks: parts => registryHooks(environmentOf(parts)),
    forms: () => registryForms,
    procedures: parts => registryProcedures(environmentOf(parts)),
    workers: parts => registryWorkers(environmentOf(parts)),
    provides: parts => ({ registry: registryFunctions(environmentOf(parts)) }),
    planes(parts) {
      const environment = environmentOf(parts)
      // The host may be that of the address at which the server listens.
      const listensAt = () => requireOtherHosts(parts.settings['registry.engines'], environment.host())
      return [{ ...ociPlane(generated.domain, environment), listensAt }]
    },
  })
}

function mountedRegistry(parts: RegistryParts): RegistryEnvironment {
  const { atEnd, baseUrl, log, settings } = parts
  const host = () => settings['registry.host'] ?? new URL(baseUrl()).host
  const failed = (err: unknown, subject: string) =>
    log.warn({ err, subject }, 'work of the registry failed; it is tried again')
  const content = registryContent({ ...parts, host, failed })
  const registryUrl = () => `${new URL(baseUrl()).protocol}//${host()}`
  const engines = clusterEngines(settings['registry.engines'], content.tokens, parts.clock)
  atEnd(() => content.pulls.store())
  const retentionCounts = new RetentionCounts()
  parts.expose(retentionMetrics(retentionCounts))
  return {
    ...parts,
    ...content,
    ...scannerParts({ ...parts, tokens: content.tokens, registryUrl }),
    host,
    registryUrl,
    engines,
    policies: new PolicyRules(),
    retentionCounts,
    failed,
  }
}
