import { absentId } from '../../../areas/members.ts'
import { withBody } from '../../aim.ts'
import type { Fault, Recipe } from '../../recipe.ts'
import { resourceRecipes } from '../../resource-recipes.ts'
import { noRoomIn } from '../../taxonomy-quota.ts'

const statements = (permission = 'taxonomy.workspaces.get', principal = 'all') => [
  { effect: 'DENY', principals: [principal], permissions: [permission] },
]

/** The content of a policy that denies no call. */
const content = { enabled: false, statements: statements() }

const faults: { readonly [Step in 'rule' | 'reference']: Fault } = {
  rule: {
    reason: 'UNKNOWN_PERMISSION',
    apply: aim => withBody(aim, { statements: statements('iam.things.fly') }),
  },
  reference: {
    reason: 'PRINCIPAL_NOT_FOUND',
    apply: aim => withBody(aim, { statements: statements(undefined, `principal:${absentId}`) }),
  },
}

/** The recipes of the policies of workspaces, keyed by operationId. */
export const policyRecipes: Readonly<Record<string, Recipe>> = resourceRecipes({
  noun: 'Policy',
  body: ({ newName }) => ({ name: newName(), ...content }),
  calls: {
    create: { faults: { ...faults, quota: noRoomIn('WORKSPACE', 'iam.policies') } },
    update: { body: content, faults },
    delete: {},
  },
})
