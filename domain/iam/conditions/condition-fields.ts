import { principalKindValues } from '../../../output/iam/types.ts'
import type { Comparator, ListFields } from '../../../runtime/filter/types.ts'

const choice: readonly Comparator[] = ['=', '!=', ':']
const ordered: readonly Comparator[] = ['=', '!=', '<', '<=', '>', '>=']
const text: readonly Comparator[] = [...ordered, ':']

/**
 * The attributes that conditions of bindings and policies may name (iam.md 1). Conditions are not sorted, so there is
 * no default order.
 */
export const conditionFields: ListFields = {
  resource: 'conditions',
  fields: [
    { name: 'request.time', type: 'TIMESTAMP', operators: ordered },
    { name: 'request.hour_of_day', type: 'INTEGER', operators: ordered },
    { name: 'request.day_of_week', type: 'INTEGER', operators: ordered },
    { name: 'request.ip', type: 'STRING', operators: choice },
    { name: 'request.permission', type: 'STRING', operators: text },
    { name: 'principal.id', type: 'STRING', operators: text },
    {
      name: 'principal.kind',
      type: 'ENUM',
      operators: choice,
      enumValues: principalKindValues.filter(kind => kind !== 'SYSTEM'),
    },
    { name: 'principal.email', type: 'STRING', operators: text },
    { name: 'resource.type', type: 'STRING', operators: text },
    { name: 'resource.id', type: 'STRING', operators: text },
    { name: 'resource.name', type: 'STRING', operators: choice },
    { name: 'resource.labels', type: 'MAP', operators: text },
  ],
  defaultOrder: '',
  key: 'id',
}
