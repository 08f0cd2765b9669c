import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { tenantVms, vmCalls, type TenantVms } from './tenant-vms.ts'
import { afterTests } from '../../undo.ts'

interface Page {
  readonly next_page_token: string
}

/** Lists a page of a list with its parameters. */
type List = (api: Ninefold, page_token: string) => Promise<Page>

let tenant: TenantVms
let other: string

beforeAll(async () => {
  tenant = await tenantVms(0, { later: afterTests })
  const { api, created, organisation } = tenant
  for (const name of ['a', 'b', 'c']) await created(name)
  other = (await api.taxonomy.createWorkspace({ organisation, body: { name: 'other' } })).resource_id
  for (const name of ['a', 'b']) await vmCalls(api, other).created(name)
})

interface Parameters {
  readonly filter?: string
  readonly order_by?: string
  readonly page_size?: number
}

const vms =
  (more: Parameters = {}, ofOther = false): List =>
  ({ compute }, page_token) =>
    compute.listVms({ workspace: ofOther ? other : tenant.workspace, page_size: 1, page_token, ...more })

const operations =
  (more: Parameters = {}): List =>
  ({ compute }, page_token) =>
    compute.listOperations({ page_size: 1, page_token, ...more })

const subnets: List = ({ network }, page_token) =>
  network.listSubnets({ workspace: tenant.workspace, engine: 'native', page_size: 1, page_token })

/** Lists, each with parameters of its own. */
const lists: readonly (readonly [name: string, list: List])[] = [
  ['machines', vms()],
  ['machines with a filter', vms({ filter: 'name != "x"' })],
  ['machines with another filter', vms({ filter: 'name != "y"' })],
  ['machines in another order', vms({ order_by: 'name desc' })],
  ['machines in the default order, which is given', vms({ order_by: 'name asc' })],
  ['machines of another workspace', vms({}, true)],
  ['machines in other pages', vms({ page_size: 2 })],
  ['operations', operations()],
  ['operations with a filter', operations({ filter: 'progress = 100' })],
  ['operations in another order', operations({ order_by: 'insert_time asc' })],
  ['subnets', subnets],
]

describe('a page token', () => {
  it.each(lists.filter(([name]) => name !== 'subnets'))(
    'of the list of %s is of that list alone',
    async (name, list) => {
      const { api } = tenant
      const { next_page_token: token } = await list(api, '')
      expect(token).not.toBe('')
      await list(api, token)
      for (const [also, another] of lists) {
        if (also === name) continue
        const refused = { reason: 'PAGE_TOKEN_INVALID', rpc: 'INVALID_ARGUMENT', response: { status: 400 } }
        await expect(another(api, token), also).rejects.toMatchObject(refused)
      }
    },
  )
})
