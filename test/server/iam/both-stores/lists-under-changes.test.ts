import { beforeEach, describe, expect, it } from 'vitest'
import { addMember, addTenant, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'

/** A page of a list: the ids of its rows, and the token of the next page. */
interface Page {
  readonly ids: readonly string[]
  readonly next: string
}

interface Asked {
  readonly page_size: number
  readonly page_token?: string
  readonly order_by?: string
}

interface Scene {
  readonly ada: Member
  /** The administrator of the organisation `acme`. */
  readonly oz: Member
  /** A member of several workspaces, by one binding in each workspace. */
  readonly kim: Member
  readonly acme: Tenant
  readonly umbrella: Tenant
  readonly workspaces: readonly string[]
  /** The ids of the principals that receive bindings during a walk. */
  readonly guests: readonly string[]
}

let scene: Scene
beforeEach(async () => {
  const platform = await testPlatform()
  const ada = await platform.admin()
  const acme = await addTenant(ada.api, 'acme')
  const umbrella = await addTenant(ada.api, 'umbrella')
  const { organisation } = acme
  const workspaces = [acme.workspace]
  for (const name of ['api', 'lab', 'zoo', 'ops']) {
    workspaces.push((await ada.api.taxonomy.createWorkspace({ organisation, body: { name } })).resource_id)
  }
  const member = (email: string, grants = [roleAt('organisation-admin', 'ORGANISATION', organisation)]) =>
    addMember(platform, ada.api, { email, organisation_id: organisation, grants })
  const oz = await member('oz@acme.example')
  const seen = workspaces.slice(0, 4).map(id => roleAt('workspace-viewer', 'WORKSPACE', id))
  const kim = await member('kim@acme.example', seen)
  const guests: string[] = []
  for (let i = 0; i < 5; i += 1) {
    const grants = [roleAt('workspace-viewer', 'WORKSPACE', acme.workspace)]
    const body = { email: `guest-${i}@acme.example`, organisation_id: organisation, grants }
    guests.push((await ada.api.iam.inviteUser({ body })).resource_id)
  }
  scene = { ada, oz, kim, acme, umbrella, workspaces, guests }
})

/** Returns the ids of all pages of a list, read two rows a page; calls `between` after each page but the last. */
async function walk(list: (asked: Asked) => Promise<Page>, order_by: string, between: () => Promise<unknown>) {
  const found: string[] = []
  const order = order_by === '' ? {} : { order_by }
  let page = await list({ page_size: 2, ...order })
  found.push(...page.ids)
  while (page.next !== '') {
    await between()
    page = await list({ page_size: 2, page_token: page.next, ...order })
    found.push(...page.ids)
  }
  return found
}

const all = (list: (asked: Asked) => Promise<Page>): Promise<readonly string[]> =>
  list({ page_size: 200 }).then(({ ids }) => ids)

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id)

const bindingsOf =
  ({ api }: Member) =>
  async (asked: Asked): Promise<Page> => {
    const { bindings, next_page_token: next = '' } = await api.iam.listBindings(asked)
    return { ids: idsOf(bindings), next }
  }

const usersOf =
  ({ api }: Member) =>
  async (asked: Asked): Promise<Page> => {
    const { users, next_page_token: next = '' } = await api.iam.listUsers(asked)
    return { ids: idsOf(users), next }
  }

const operationsOf =
  ({ api }: Member) =>
  async (asked: Asked): Promise<Page> => {
    const { operations, next_page_token: next = '' } = await api.iam.listOperations(asked)
    return { ids: idsOf(operations), next }
  }

const workspacesOf =
  ({ api }: Member, { organisation }: Tenant) =>
  async (asked: Asked): Promise<Page> => {
    const { workspaces, next_page_token: next = '' } = await api.taxonomy.listWorkspaces({ organisation, ...asked })
    return { ids: idsOf(workspaces), next }
  }

/**
 * Returns a function that, at each call, creates a binding in the listed organisation and in another organisation,
 * invites a user, and deletes the bindings of the call before.
 */
function changes() {
  const { acme, ada, guests, umbrella, workspaces } = scene
  const made: string[] = []
  let count = 0
  return async (): Promise<void> => {
    const principal_id = guests[count % guests.length] ?? ''
    const role = ['workspace-editor', 'security-auditor', 'vault-crypto-user'][count % 3] ?? ''
    const at = workspaces[count % workspaces.length] ?? ''
    count += 1
    for (const scope of [at, umbrella.workspace]) {
      const body = { ...roleAt(role, 'WORKSPACE', scope), principal_id }
      made.push((await ada.api.iam.createBinding({ body })).resource_id)
    }
    const email = `passer-${count}@acme.example`
    await ada.api.iam.inviteUser({ body: { email, organisation_id: acme.organisation } })
    for (const id of made.splice(0, made.length - 2)) await ada.api.iam.deleteBinding({ id })
  }
}

describe.each([
  ['bindings', () => bindingsOf(scene.oz), ['', 'created', 'role_id', 'scope_type desc, role_id']],
  ['users', () => usersOf(scene.oz), ['', 'email', 'display_name desc']],
  ['operations', () => operationsOf(scene.oz), ['']],
] as const)('a walk through %s', (_, listOf, orders) => {
  it.each(orders)('in the order "%s" has each unchanged row once, whatever is inserted and deleted', async order => {
    const list = listOf()
    const between = changes()
    await between()
    const before = await all(list)
    const found = await walk(list, order, between)
    const after = new Set(await all(list))
    const still = before.filter(id => after.has(id))
    expect(still.length).toBeGreaterThan(6)
    expect(found.toSorted()).toEqual([...new Set(found)].toSorted())
    expect(still.filter(id => !found.includes(id))).toEqual([])
    // No page contains a row of another organisation.
    expect(found.filter(id => !before.includes(id) && !after.has(id))).toEqual([])
  })
})

it.each(['', 'name desc'])(
  'a walk through workspaces in the order "%s" follows changed permissions, and has the other workspaces once',
  async order => {
    const { acme, ada, kim, workspaces } = scene
    const list = workspacesOf(kim, acme)
    const [first = '', second = '', third = '', fourth = '', hidden = ''] = workspaces
    expect((await all(list)).toSorted()).toEqual([first, second, third, fourth].toSorted())
    const role_ids = ['workspace-viewer']
    const change = (scope_id: string) =>
      ({ scope_type: 'WORKSPACE', scope_id, body: { principal_id: kim.id, role_ids } }) as const
    let isGiven = false
    const found = await walk(list, order, async () => {
      isGiven = !isGiven
      if (isGiven) await ada.api.iam.grantAccess(change(hidden))
      else await ada.api.iam.revokeAccess(change(hidden))
    })
    expect(found.filter(id => id !== hidden).toSorted()).toEqual([first, second, third, fourth].toSorted())
    expect(found.length).toBe(new Set(found).size)
    const shrinking = await walk(list, order, async () => {
      const { access } = await ada.api.iam.listScopeAccess({ scope_type: 'WORKSPACE', scope_id: fourth })
      if (access.some(({ principal_id }) => principal_id === kim.id)) await ada.api.iam.revokeAccess(change(fourth))
    })
    for (const id of [first, second, third]) expect(shrinking.filter(each => each === id)).toEqual([id])
  },
)
