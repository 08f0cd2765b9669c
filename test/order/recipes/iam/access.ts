import { randomUUID } from 'node:crypto'
import { bindings } from '../../../../domain/iam/collections/bindings-store.ts'
import { absentId } from '../../../areas/members.ts'
import { withBody, withPath, type Aim } from '../../aim.ts'
import type { Fault, Recipe } from '../../recipe.ts'
import type { World } from '../../world.ts'
import { bind, scopeNotActive } from './subjects.ts'

const role = 'organisation-viewer'

/** The maximal number of bindings of one principal in one organisation. */
const mostOfPrincipal = 250

/** Makes the fault of a condition that does not parse. */
export const conditionInvalid = (body: (condition: string) => NonNullable<Aim['body']>): Fault => ({
  reason: 'CONDITION_INVALID',
  apply: aim => withBody(aim, body('resource.name =')),
})

const organisationOf = ({ body, path }: Aim): string => String(path['scope_id'] ?? body?.['scope_id'])

/**
 * Inserts `count` copies of a binding, each with the members from `differ`, without a change in the feed; only the
 * limits see the copies.
 */
export async function multiply(
  { store }: World,
  id: string,
  count: number,
  differ: (i: number) => { readonly role_id: string } | { readonly principal_id: string },
): Promise<void> {
  const stored = await store.get(bindings, id)
  if (stored === undefined) throw new Error(`there is no binding ${id}`)
  await store.tx(async tx => {
    for (let i = 0; i < count; i += 1) {
      await tx.insert(bindings, {
        ...stored.value,
        ...differ(i),
        id: randomUUID(),
      })
    }
  })
}

const noRoom: Fault = {
  reason: 'BINDING_QUOTA_EXCEEDED',
  async apply(aim, world) {
    const principal = String(aim.body?.['principal_id'])
    const id = await bind(world, principal, 'security-auditor', organisationOf(aim))
    await multiply(world, id, mostOfPrincipal, i => ({ role_id: `role-${i}` }))
    return aim
  },
}

const createBinding: Recipe = {
  async aim({ newMember, newOrganisation }) {
    const { id: principal_id } = await newMember()
    return { body: { principal_id, role_id: role, scope_type: 'ORGANISATION', scope_id: await newOrganisation() } }
  },
  faults: {
    rule: conditionInvalid(condition => ({ condition })),
    workspace: scopeNotActive(organisationOf),
    reference: { reason: 'ROLE_NOT_FOUND', apply: aim => withBody(aim, { role_id: absentId }) },
    quota: noRoom,
  },
}

const deleteBinding: Recipe = {
  async aim(world) {
    const { id } = await world.newMember()
    return { path: { id: await bind(world, id, role, await world.newOrganisation()) } }
  },
  faults: {
    state: {
      reason: 'LAST_ADMINISTRATOR',
      async apply(aim, { admin }) {
        const { bindings } = await admin.api.iam.listBindings({ filter: `principal_id = "${admin.id}"` })
        return withPath(aim, { id: bindings.find(({ role_id }) => role_id === 'platform-admin')?.id ?? '' })
      },
    },
  },
}

/** Creates an organisation; returns the path parameters of its scope. */
async function scopePath({ newOrganisation }: World): Promise<Aim['path']> {
  return { scope_type: 'ORGANISATION', scope_id: await newOrganisation() }
}

const absentRole: Fault = { reason: 'ROLE_NOT_FOUND', apply: aim => withBody(aim, { role_ids: [absentId] }) }

const grantAccess: Recipe = {
  async aim(world) {
    const { id: principal_id } = await world.newMember()
    return { path: await scopePath(world), body: { principal_id, role_ids: [role] } }
  },
  faults: {
    rule: conditionInvalid(condition => ({ condition })),
    workspace: scopeNotActive(organisationOf),
    reference: absentRole,
    quota: noRoom,
  },
}

const revokeAccess: Recipe = {
  async aim(world) {
    const { id: principal_id } = await world.newMember()
    const path = await scopePath(world)
    await bind(world, principal_id, role, path['scope_id'])
    return { path, body: { principal_id, role_ids: [role] } }
  },
  faults: { reference: absentRole },
}

/** The recipes of the calls that create, delete, grant and revoke bindings, keyed by operationId. */
export const accessRecipes: Readonly<Record<string, Recipe>> = {
  createBinding,
  deleteBinding,
  grantAccess,
  revokeAccess,
}
