import { describe, expect, it } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { principalsList } from '../../../output/iam/filters.ts'
import { allOf, refused } from './calls.ts'
import { world, type World } from './administration.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const list = (w: World, by: string, parameters = {}) =>
  allOf(context => w.principals.listPrincipals({}, context), w.as(by), principalsList, parameters)

const ids = async (rows: ReturnType<typeof list>) => (await rows).map(({ id }) => id)

describe('the directory', () => {
  it.each([1, 2, 5, 100])('shows each caller the visible principals, in pages of %i', async page_size => {
    const w = await world()
    expect(await ids(list(w, w.ada, { page_size }))).toEqual([w.ada, w.oz, w.eve, w.kim, w.pat, w.bot])
    expect(await ids(list(w, w.pat, { page_size }))).toEqual([w.pat])
    expect(await ids(list(w, w.oz, { page_size }))).toEqual([w.oz, w.eve, w.kim, w.bot])
    // A workspace editor sees itself and the service accounts of the workspace.
    expect(await ids(list(w, w.eve, { page_size }))).toEqual([w.eve, w.bot])
    expect(await ids(list(w, w.eve, { page_size, order_by: 'display_name desc' }))).toEqual([w.eve, w.bot])
    expect(await ids(list(w, w.ada, { page_size, filter: 'kind = SERVICE_ACCOUNT' }))).toEqual([w.bot])
    expect(await ids(list(w, w.ada, { page_size, order_by: 'display_name' }))).toEqual([
      w.ada,
      w.bot,
      w.eve,
      w.kim,
      w.oz,
      w.pat,
    ])
  })

  it('refuses a caller who may see no principals anywhere', async () => {
    const w = await world()
    expect(await outcomeOf(list(w, w.kim))).toBe('IAM_PERMISSION_DENIED')
  })

  it('shows every caller itself and the system principal, and other principals to callers who may see them', async () => {
    const w = await world()
    const get = (by: string, id: string) => valueOf(w.principals.getPrincipal({ id }, w.as(by)))
    expect(await get(w.kim, w.kim)).toMatchObject({ id: w.kim, kind: 'USER' })
    expect(await get(w.kim, systemPrincipalId)).toMatchObject({ kind: 'SYSTEM', status: 'ACTIVE' })
    expect(await get(w.oz, w.eve)).toMatchObject({ id: w.eve, email: 'eve@y.example' })
    expect(await get(w.eve, w.bot)).toMatchObject({ id: w.bot, kind: 'SERVICE_ACCOUNT', workspace_id: w.w.id })
    expect(await refused(get(w.ada, w.w.id))).toMatchObject({ reason: 'PRINCIPAL_NOT_FOUND', rpc: 'NOT_FOUND' })
  })

  it('responds to the id of a hidden principal as to an unknown id', async () => {
    const w = await world()
    const get = (id: string) => refused(w.principals.getPrincipal({ id }, w.as(w.pat)))
    const absent = await get(w.w.id)
    expect(absent).toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
    for (const id of [w.kim, w.bot, w.ada]) {
      const hidden = await get(id)
      expect([hidden.message, { ...hidden }]).toEqual([absent.message, { ...absent }])
    }
  })
})
