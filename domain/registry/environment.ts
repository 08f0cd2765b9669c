import type { RegistryArea } from '../../output/registry/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { PolicyRules } from './access/policy-rules.ts'
import type { ContentParts } from './content-parts.ts'
import type { Advisories } from './scanning/advisories.ts'

/** The parts that the code of the area uses. */
export interface RegistryEnvironment
  extends Parts<RegistryArea, never, 'iam' | 'storage' | 'topology' | 'vault'>, ContentParts {
  /** Returns the host in image references, with a port unless it is that of the scheme: `registry.example`. */
  readonly host: () => string
  /** Returns the public address of the registry, without a slash at its end: clients reach `/v2/` below it. */
  readonly registryUrl: () => string
  /** The advisories that the built-in scanner compares packages with. */
  readonly advisories: Advisories
  /** The rules of access policies. */
  readonly policies: PolicyRules
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
}
