import { describe, expect, it } from 'vitest'
import {
  mayTakeOver,
  requireOtherAdministrator,
  requireTakeOver,
  type TakeOver,
} from '../../../../domain/iam/grants/escalation.ts'
import { principals } from '../../../../domain/iam/collections/principals-store.ts'
import { users } from '../../../../domain/iam/collections/users-store.ts'
import { hourly, policyOf, statementOf, world, type World } from '../administration.ts'
import { platformScope } from '../rows.ts'
import { outcomeOf } from '../../outcomes.ts'

const takeOver = (w: World, by: string, target: string, kind: TakeOver = 'OTHER') =>
  outcomeOf(
    w.store.tx(async tx => {
      const user = await tx.get(users, target)
      if (!user) throw new Error('there is no such user')
      await requireTakeOver(tx, w.parts, w.as(by), user.value, kind)
    }),
  )

describe('taking an account over', () => {
  it('needs all permissions of the account, at each scope', async () => {
    const w = await world()
    expect(await takeOver(w, w.oz, w.kim)).toBe('OK')
    expect(await takeOver(w, w.oz, w.eve)).toBe('OK')
    expect(await takeOver(w, w.eve, w.oz)).toBe('ESCALATION_DENIED')
    expect(await takeOver(w, w.oz, w.ada)).toBe('ESCALATION_DENIED')
    expect(await takeOver(w, w.ada, w.oz)).toBe('OK')
    await w.bind(w.eve, 'workspace-viewer', w.v)
    expect(await takeOver(w, w.oz, w.eve)).toBe('ESCALATION_DENIED')
  })

  it('needs only the permissions at the platform and at the home organisation for a deactivation', async () => {
    const w = await world()
    await w.bind(w.eve, 'workspace-viewer', w.v)
    expect(await takeOver(w, w.oz, w.eve, 'DEACTIVATE')).toBe('OK')
    await w.bind(w.eve, 'workspace-viewer', platformScope)
    expect(await takeOver(w, w.oz, w.eve, 'DEACTIVATE')).toBe('ESCALATION_DENIED')
  })

  it('counts conditional bindings of the account, and expiring bindings while they last', async () => {
    const w = await world()
    const lead = await w.user('lead', { organisation_id: w.o.id })
    await w.bind(lead, 'workspace-viewer', w.w)
    await w.bind(w.kim, 'workspace-editor', w.w, { condition: 'request.hour_of_day > 1' })
    expect(await takeOver(w, lead, w.kim)).toBe('ESCALATION_DENIED')
    const brief = await w.user('brief')
    await w.bind(brief, 'workspace-editor', w.w, { expire_time: hourly(w, 1) })
    expect(await takeOver(w, lead, brief)).toBe('ESCALATION_DENIED')
    w.later(3_600_000)
    expect(await takeOver(w, lead, brief)).toBe('OK')
  })

  it('counts the ALLOW statements for the account or for its roles', async () => {
    const w = await world()
    const lead = await w.user('lead', { organisation_id: w.o.id })
    await w.bind(lead, 'workspace-editor', w.w)
    const allow = (name: string, principal: string, more = {}) => {
      const body = policyOf(name, statementOf('ALLOW', [principal], ['vault.secretVersions.access'], more))
      return w.policies.createPolicy({ workspace: w.w.id, body }, w.as(w.oz))
    }
    await allow('kim', `principal:${w.kim}`)
    expect(await takeOver(w, lead, w.kim)).toBe('ESCALATION_DENIED')
    expect(await takeOver(w, w.oz, w.kim)).toBe('OK')
    expect(await takeOver(w, lead, w.eve)).toBe('OK')
    await allow('but-eve', 'role:workspace-editor', { except_principals: [`principal:${w.eve}`] })
    expect(await takeOver(w, lead, w.eve)).toBe('OK')
    await allow('editors', 'role:workspace-editor')
    expect(await takeOver(w, lead, w.eve)).toBe('ESCALATION_DENIED')
    const reader = await w.user('reader')
    await w.bind(reader, 'workspace-viewer', w.v)
    expect(await takeOver(w, w.oz, reader)).toBe('ESCALATION_DENIED')
    expect(await takeOver(w, w.pat, reader)).toBe('OK')
  })

  it('by a token is possible while the issuer of the token is active and has all permissions that the account then has', async () => {
    const w = await world()
    const may = (minter: string, target: string) => mayTakeOver(w.store, w.parts, minter, target, w.now())
    expect(await may(w.oz, w.kim)).toBe(true)
    await w.bind(w.kim, 'workspace-viewer', platformScope)
    expect(await may(w.oz, w.kim)).toBe(false)
    expect(await may(w.ada, w.kim)).toBe(true)
    const fresh = await w.user('fresh')
    expect(await may(w.oz, fresh)).toBe(true)
    await w.store.tx(async tx => {
      const stored = await tx.lock(principals, w.oz)
      if (stored) await tx.update(principals, w.oz, { ...stored.value, status: 'DEACTIVATED' }, stored.version)
    })
    expect(await may(w.oz, fresh)).toBe(false)
    expect(await may(w.oz, w.w.id)).toBe(false)
  })

  it('keeps an administrator of the platform and of each organisation when a user is deactivated', async () => {
    const w = await world()
    const bar = (by: string, id: string) =>
      outcomeOf(w.store.tx(tx => requireOtherAdministrator(tx, w.parts, w.as(by), { id })))
    expect(await bar(w.oz, w.oz)).toBe('LAST_ADMINISTRATOR')
    expect(await bar(w.ada, w.ada)).toBe('LAST_ADMINISTRATOR')
    expect(await bar(w.ada, w.oz)).toBe('OK')
    expect(await bar(w.oz, w.eve)).toBe('OK')
    await w.bind(w.kim, 'organisation-admin', w.o)
    expect(await bar(w.oz, w.oz)).toBe('OK')
  })
})
