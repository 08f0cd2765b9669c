import type { RegistryArea } from '../../output/registry/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { PolicyRules } from './access/policy-rules.ts'
import type { ContentParts } from './content-parts.ts'
import type { DistributionEngines } from './engines/distribution-engines.ts'
import type { RetentionCounts } from './retention/retention-counts.ts'
import type { ScanParts } from './scans/scan-parts.ts'

/** The parts that the code of the area uses. */
export interface RegistryEnvironment
  extends
    Parts<RegistryArea, never, 'iam' | 'observability' | 'storage' | 'topology' | 'vault'>,
    ContentParts,
    ScanParts {
  /** Returns the host of the native engine in references, with a port unless it is that of the scheme: `registry.example`. */
  readonly host: () => string
  /** Returns the public address of the registry, without a slash at its end: clients reach `/v2/` below it. */
  readonly registryUrl: () => string
  /** The engines of clusters that store and serve content themselves. */
  readonly engines: DistributionEngines
  /** The rules of access policies. */
  readonly policies: PolicyRules
  /** Counts what retention policies have removed. */
  readonly retentionCounts: RetentionCounts
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
}
