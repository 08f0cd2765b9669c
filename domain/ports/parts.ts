import type { Access } from './access.ts'
import type { Audit } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Principals } from './iam.ts'
import type { Operations } from './operations.ts'
import type { Store } from './store.ts'
import type { Taxonomy } from './taxonomy.ts'

/** What the domain code of an area is given to work with; `Record` is its operation type. */
export interface Parts<Record> {
  readonly store: Store
  readonly clock: Clock
  readonly access: Access
  readonly principals: Principals
  readonly operations: Operations<Record>
  readonly audit: Audit
  readonly taxonomy: Taxonomy
}
