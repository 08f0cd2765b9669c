import { expect, it } from 'vitest'
import { holding } from '../../../../domain/iam/decisions/held-bindings.ts'
import { permissionSet } from '../../../../domain/iam/decisions/permission-set.ts'
import { RightsAt } from '../../../../domain/iam/decisions/rights-at.ts'
import { scopeKey } from '../../../../domain/iam/decisions/scope-chains.ts'
import { statementsOf } from '../../../../domain/iam/decisions/policy-statements.ts'
import { PolicyIndex } from '../../../../domain/iam/decisions/workspace-policies.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'
import { ids, start, statement } from '../world.ts'
import { platformScope } from '../rows.ts'

const time = new Date(start).toISOString()
const scopes = [ids.w, ids.g, ids.o, platformScope]
const chain = { scopes, keys: scopes.map(scopeKey) }

const rightsOf = (id: string): RightsAt => {
  const principal = { id, kind: 'USER', display_name: '', email: '', name: '', status: 'ACTIVE' } as const
  const held = holding({ ...principal, organisation_id: '', workspace_id: '' }, [])
  return new RightsAt(held, chain, () => permissionSet(catalogue, []), start)
}

it('an index of policies caches the statements about a principal, for a limited number of principals', () => {
  const statements = Array.from({ length: 1000 }, (_, i) => statement(i === 0 ? { principals: ['principal:bob'] } : {}))
  const policy = { id: 'p', workspace_id: ids.w.id, name: 'p', display_name: '', description: '', labels: {} }
  const stamps = { enabled: true, created_by: '', etag: '1', created: time, updated: time }
  const index = new PolicyIndex(statementsOf(catalogue, { ...policy, ...stamps, statements }))
  const bit = catalogue.find('compute.vms.get')?.bit ?? -1
  const kim = rightsOf('kim')
  const first = index.concerning('DENY', bit, kim)
  expect(first).toHaveLength(999)
  expect(index.concerning('DENY', bit, kim)).toBe(first)
  for (let i = 0; i < 1000; i += 1) index.concerning('DENY', bit, rightsOf(`user-${i}`))
  const later = index.concerning('DENY', bit, kim)
  expect(later).not.toBe(first)
  expect(later).toEqual(first)
  expect(index.concerning('DENY', bit, rightsOf('bob'))).toHaveLength(1000)
})
