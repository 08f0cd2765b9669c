import type { RegistryArea } from '../../output/registry/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { PolicyRules } from './access/policy-rules.ts'
import type { ContentParts } from './content-parts.ts'
import type { ScanParts } from './scans/scan-parts.ts'
import type { RetentionCounts } from './retention-work/retention-counts.ts'

/** The parts that the code of the area uses. */
export interface RegistryEnvironment
  extends Parts<RegistryArea, never, 'iam' | 'storage' | 'topology' | 'vault'>, ContentParts, ScanParts {
  /** Returns the host in image references, with a port unless it is that of the scheme: `registry.example`. */
  readonly host: () => string
  /** Returns the public address of the registry, without a slash at its end: clients reach `/v2/` below it. */
  readonly registryUrl: () => string
  /** The rules of access policies. */
  readonly policies: PolicyRules
  /** Counts what retention policies have removed. */
  readonly retentionCounts: RetentionCounts
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
}
