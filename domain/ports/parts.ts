import type { AreaTypes } from '../../runtime/route.ts'
import type { Access } from './access.ts'
import type { Audit } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Functions, Owner } from './functions.ts'
import type { Operations } from './operations.ts'
import type { Store } from './store.ts'
import type { Taxonomy } from './taxonomy.ts'

/** What the domain code of an area is given to work with; `Area` is its generated `<Area>Area`. */
export interface Parts<Area extends AreaTypes, Required extends Owner = never, Optional extends Owner = never> {
  readonly store: Store
  readonly clock: Clock
  readonly access: Access
  readonly operations: Operations<Area>
  readonly audit: Audit
  readonly taxonomy: Taxonomy
  /** What other areas do for this one, as far as it has declared the need. */
  readonly functions: Functions<Required, Optional>
}
