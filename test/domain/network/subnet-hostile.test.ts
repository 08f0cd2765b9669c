import { beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { tenantNetwork, type TenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

let net: TenantNetwork
let vpc: string
let subnet: string
let call: (method: string, path: string, body?: string) => Promise<Response>

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  vpc = await net.vpc('net-1', '10.20.0.0/16')
  subnet = await net.subnet(vpc, 's1', '10.20.1.0/24')
  const { token } = await net.platform.admin()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const base = `${baseUrl}/network/v1/workspaces/${net.workspace}/engines/native`
  call = (method, path, body) =>
    net.platform.from('192.0.2.9')(`${base}/${path}`, { method, headers, ...(body !== undefined && { body }) })
})

/** Values that every member of a subnet refuses, except that `labels` may be `{}`. */
const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  {},
  [[]],
  [null],
  '\u0000',
  'x'.repeat(100_000),
  '0x0a.0.0.1',
  '010.020.001.000/24',
  '10.20.1.0/99',
  '10.20.1.0/24/24',
  '::1/128',
  '10.20.1.0/-1',
  "'; DROP TABLE network_subnets; --",
  { __proto__: null, start: '10.20.1.1', toString: 'x' },
  [{ start: '10.20.1.1', end: '4294967296' }],
  Array.from({ length: 17 }, (_, i) => ({ start: `10.20.1.${i}` })),
]

const members = ['name', 'vpc_id', 'cidr_block', 'gateway_address', 'reserved_ranges', 'dns_servers', 'labels'] as const

const documented =
  /^(FIELD_INVALID|VPC_NOT_FOUND|SUBNET_CIDR_INVALID|SUBNET_GATEWAY_INVALID|SUBNET_RESERVED_RANGE_INVALID)$/

/** Returns the reason of an error response, or a text with the status if the response has no reason. */
async function reasonOf(answer: Response): Promise<string> {
  const { details = [] }: { readonly details?: readonly { readonly reason?: string }[] } = await answer.json()
  return details.find(({ reason }) => reason !== undefined)?.reason ?? `no reason, status ${answer.status}`
}

describe.each(members)('a hostile %s', member => {
  it.each(hostile.map((value, i) => [i, value] as const))(
    'is refused as documented at a create, %#',
    async (_, value) => {
      // An empty map of labels is valid.
      if (member === 'labels' && JSON.stringify(value) === '{}') return
      const body = { name: 'fresh', vpc_id: vpc, cidr_block: '10.20.9.0/24', [member]: value }
      const answer = await call('POST', 'subnets', JSON.stringify(body))
      expect(answer.status).toBe(400)
      expect(await reasonOf(answer)).toMatch(documented)
    },
  )
})

describe('a subnet under attack', () => {
  it.each([
    'filter=cidr_block = "',
    'filter=available_addresses > "x"',
    'order_by=usable_addresses',
    'page_token=AAAA',
  ])('refuses the query %s', async query => {
    const answer = await call('GET', `subnets?${encodeURI(query)}`)
    expect(await reasonOf(answer)).toMatch(/^(FILTER|ORDER_BY|PAGE_TOKEN)_INVALID$/)
  })

  it.each(['0.0.0.0', '255.255.255.255', '10.20.1.300', '', '10.20.1.5/32', 'x'.repeat(5000)])(
    'assigns no address for the request %j',
    async ip => {
      const made = net.machine('hostile', subnet, ip).catch((error: unknown) => error)
      const error = await made
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ reason: expect.stringMatching(/^(FIELD_INVALID|IP_ADDRESS_NOT_ASSIGNABLE)$/) })
    },
  )

  it('is unchanged after all attacks', async () => {
    expect(await net.getSubnet(subnet)).toMatchObject({ allocated_addresses: 0, available_addresses: 252 })
    const { subnets } = await net.api.network.listSubnets({ workspace: net.workspace, engine: 'native' })
    expect(subnets).toHaveLength(1)
  })
})
