import type { AreaTypes } from '../../runtime/route.ts'
import type { Authorizer } from './access.ts'
import type { Audit } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Functions, FunctionOwner } from './functions.ts'
import type { Operations } from './operations.ts'
import type { Store } from './store.ts'
import type { Taxonomy } from './taxonomy.ts'

/** The parts that the domain code of an area uses. `Area` is the generated `<Area>Area`. */
export interface Parts<
  Area extends AreaTypes,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
> {
  readonly store: Store
  readonly clock: Clock
  readonly access: Authorizer
  readonly operations: Operations<Area>
  readonly audit: Audit
  readonly taxonomy: Taxonomy
  /** The functions of the other areas that this area declares as needs. */
  readonly functions: Functions<Required, Optional>
}
