import { bindingAlreadyExists } from '../../../output/iam/errors.ts'
import { bindingsList } from '../../../output/iam/filters.ts'
import type { Binding } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The bindings, stored as they are answered. */
export const bindings: Collection<Binding> = {
  name: 'iam_bindings',
  id: 'id',
  list: bindingsList,
  uniques: [
    {
      fields: ['principal_id', 'role_id', 'scope_type', 'scope_id'],
      taken: ({ role_id }) => bindingAlreadyExists(`the principal has the role ${role_id} at this scope already`),
    },
  ],
  indexes: [['principal_id'], ['scope_id', 'scope_type'], ['role_id'], ['expire_time']],
}

/** Whether a binding counts at `now`: it stops counting at the instant of its expiry (iam.md 1). */
export const holdsAt = ({ expire_time }: Pick<Binding, 'expire_time'>, now: number): boolean =>
  expire_time === undefined || Date.parse(expire_time) > now
