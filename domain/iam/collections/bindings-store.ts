import { bindingAlreadyExists } from '../../../output/iam/errors.ts'
import { bindingsList } from '../../../output/iam/filters.ts'
import type { Binding } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The bindings. A stored binding equals the binding in responses. */
export const bindings: Collection<Binding> = {
  name: 'iam_bindings',
  id: 'id',
  list: bindingsList,
  uniques: [
    {
      fields: ['principal_id', 'role_id', 'scope_type', 'scope_id'],
      taken: ({ principal_id, role_id }) =>
        bindingAlreadyExists(`the principal has the role ${role_id} at this scope already`, {
          resource: { type: 'iam.bindings', name: `${principal_id}/${role_id}` },
        }),
    },
  ],
  indexes: [['principal_id'], ['scope_id', 'scope_type'], ['role_id'], ['expire_time']],
}

/**
 * Returns whether a binding is valid at `now`, in milliseconds since 1970. A binding is invalid from the instant of its
 * expiry on (iam.md 1).
 */
export const holdsAt = ({ expire_time }: Pick<Binding, 'expire_time'>, now: number): boolean =>
  expire_time === undefined || Date.parse(expire_time) > now
