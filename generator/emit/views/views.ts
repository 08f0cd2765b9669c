import type { AreaView } from './area.ts'
import type { ClientView } from './client.ts'
import type { JoinedClientView } from './joined-client.ts'
import type { ErrorsView } from './errors.ts'
import type { FiltersView } from './filters.ts'
import type { PermissionBitsView, PermissionsView } from './permissions.ts'
import type { RoutesView } from './routes.ts'

/** The view of each template. */
export interface Views {
  readonly area: AreaView
  readonly client: ClientView
  readonly errors: ErrorsView
  readonly filters: FiltersView
  readonly 'joined-client': JoinedClientView
  readonly 'permission-bits': PermissionBitsView
  readonly permissions: PermissionsView
  readonly routes: RoutesView
}
