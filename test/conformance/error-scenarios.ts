import type { Ninefold } from '../../output/client.ts'
import { Admission } from '../../server/http/admission.ts'
import { closeApp, createApp, mount } from '../../server/http/app.ts'
import { defaultHttpLimits } from '../../server/http/limits.ts'
import { outside } from '../../server/platform-domain.ts'
import { Turns } from '../../server/http/turns.ts'
import { createClock } from '../../server/clock.ts'
import { Meters } from '../../server/meters/meters.ts'
import { fetchHost } from '../../runtime/hosts/fetch.ts'
import { silent, baseUrl } from '../areas/open-platform.ts'
import { absentId, addMember, addTenant, type Member, type Tenant } from '../areas/members.ts'
import type { TestPlatform, TestPlatformOptions } from '../areas/test-platform.ts'
import { rawExchange } from '../server/http/harness.ts'
import { atScale, tinyBody } from '../domain/compute/tenant-vms.ts'
import { headerLines } from '../../runtime/wire.ts'

/** The options of the platform that serves the scenarios: a creation of a machine takes hours. */
export const scenarioOptions: TestPlatformOptions = { config: { given: atScale(1000) } }

/** A request of a scenario; by default a GET by the administrator. */
interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body, written as JSON; a text is sent unchanged. */
  readonly body?: unknown
  readonly caller?: Member
}

/** The served platform of the scenarios: a tenant, a user without permissions, and a VPC with a subnet. */
export class ScenarioPlatform {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly nobody: Member
  readonly tenant: Tenant
  /** The path of the workspaces. */
  readonly workspaces: string
  #names = 0

  private constructor(platform: TestPlatform, admin: Member, nobody: Member, tenant: Tenant) {
    this.platform = platform
    this.admin = admin
    this.nobody = nobody
    this.tenant = tenant
    this.workspaces = `/taxonomy/v1/organisations/${tenant.organisation}/workspaces`
  }

  static async over(platform: TestPlatform): Promise<ScenarioPlatform> {
    const admin = await platform.admin()
    const tenant = await addTenant(admin.api, 'acme')
    const user = { email: 'nobody@acme.example', organisation_id: tenant.organisation }
    return new ScenarioPlatform(platform, admin, await addMember(platform, admin.api, user), tenant)
  }

  get api(): Ninefold {
    return this.admin.api
  }

  /** Sends a request to the platform; a body is sent as JSON. */
  ask(target: string, asked: Asked = {}): Promise<Response> {
    return this.platform.from('192.0.2.9')(baseUrl + target, this.#init(asked))
  }

  /** Sends a request to the platform while its server ends. */
  async askEnding(target: string, asked: Asked): Promise<Response> {
    const services = { clock: createClock(), log: silent, meters: new Meters() }
    const domains = { outside: { name: 'ninefold', base: 0 }, areas: [{ name: 'network', base: 3_000_000 }] }
    const admission = new Admission(10, new Turns({ turnMs: Infinity }), services, domains)
    await admission.drain()
    const host = fetchHost(admission.admit(this.platform.dispatch))
    return host(new Request(baseUrl + target, this.#init(asked)))
  }

  /** Sends the headers of a creation to a listener of the platform, and no body before the time limit of bodies. */
  async askSlowly(target: string): Promise<Response> {
    const limits = { ...defaultHttpLimits, requestMs: 50 }
    const app = createApp({ outside, limits, meters: new Meters(), turns: new Turns() })
    mount(app, this.platform.dispatch)
    try {
      const url = await app.app.listen({ port: 0, host: '127.0.0.1' })
      const headers = ['host: a', `authorization: Bearer ${this.admin.token}`, 'content-type: application/json']
      const head = [`POST ${target} HTTP/1.1`, ...headers, 'content-length: 100', '', ''].join('\r\n')
      const [, status = '0', body = ''] = /^HTTP\/1\.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(await rawExchange(url, head)) ?? []
      return new Response(body, { status: Number(status) })
    } finally {
      await closeApp(app, 0)
    }
  }

  /** Returns the names of the resources of a list, as far as one page shows them; `member` is the member of the list. */
  async namesBelow(path: string, member: string): Promise<readonly string[]> {
    const rows: readonly { readonly name: string }[] = (await (await this.ask(path)).json())[member]
    return rows.map(({ name }) => name)
  }

  /** Creates a workspace, and returns the path of its VPCs. The quota of a workspace admits five VPCs. */
  async vpcs(): Promise<string> {
    const { organisation } = this.tenant
    const { resource_id } = await this.api.taxonomy.createWorkspace({ organisation, body: { name: this.name() } })
    return `/network/v1/workspaces/${resource_id}/engines/native/vpcs`
  }

  /** Creates a VPC below a path of VPCs, by default in a new workspace; returns the path of the VPC. */
  async vpc(below?: string): Promise<string> {
    const path = below ?? (await this.vpcs())
    const answer = await this.ask(path, { method: 'POST', body: this.vpcBody() })
    if (!answer.ok) throw new Error(`no VPC is made: ${await answer.text()}`)
    return `${path}/${(await answer.json()).resource_id}`
  }

  /** Creates a workspace with a name of its own, and returns its path. */
  async workspace(): Promise<string> {
    const { organisation } = this.tenant
    const { resource_id } = await this.api.taxonomy.createWorkspace({ organisation, body: { name: this.name() } })
    return `${this.workspaces}/${resource_id}`
  }

  /** Returns the body of a VPC with a name of its own. */
  vpcBody(): { name: string; region: string; cidr_blocks: string[] } {
    return { name: this.name(), region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  }

  /** Returns a name that no other resource of the scenarios has. */
  name(): string {
    return `made-${(this.#names += 1)}`
  }

  #init({ body, caller = this.admin, headers = {}, method = 'GET' }: Asked): RequestInit {
    return {
      method,
      headers: {
        authorization: `Bearer ${caller.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
  }
}

type Scenario = (at: ScenarioPlatform) => Promise<Response>

const post = (body: unknown, headers: Asked['headers'] = {}): Asked => ({ method: 'POST', body, headers })
const patch = (body: unknown): Asked => ({ method: 'PATCH', body })
const list =
  (query: string): Scenario =>
  async at =>
    at.ask(`${await at.vpcs()}?${query}`)
const vms = (at: ScenarioPlatform): string => `/compute/v1/workspaces/${at.tenant.workspace}/engines/native/vms`
const repeated = (body: unknown, key: string): Asked => post(body, { 'idempotency-key': key })

/**
 * The requests that make the scenarios, keyed by the id of the case. A scenario about a feature that the platform does
 * not offer sends the request of that feature, which the platform must refuse without an effect.
 */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'er-041': async at => at.ask(`${await at.vpcs()}/${absentId}`),
  'er-042': async at => at.ask(`${await at.vpcs()}/${absentId}`, { caller: at.nobody }),
  'er-048': list('filter=nosuch%20%3D%201'),
  'er-049': at => at.ask(`${vms(at)}?filter=cpu.count%20%3D%20many`),
  'er-050': list(`filter=${encodeURIComponent(`name = "${'x'.repeat(5000)}"`)}`),
  'er-051': list('order_by=name%20DESC'),
  'er-052': list('order_by=nosuch'),
  async 'er-054'(at) {
    const path = await at.vpcs()
    for (let i = 0; i < 2; i += 1) await at.vpc(path)
    const { next_page_token: token } = await (await at.ask(`${path}?page_size=1`)).json()
    return at.ask(`${path}?page_size=1&page_token=${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`)
  },
  'er-056': async at => at.ask(`${await at.vpcs()}/no%20id`),
  'er-062': async at => at.ask(await at.vpcs(), post({ ...at.vpcBody(), colour: 'red' })),
  'er-063': at => at.ask(vms(at), post({ ...tinyBody, name: at.name(), memory_mib: '128' })),
  'er-064': async at => at.ask(`${await at.vpcs()}/${absentId}?update_mask=description`, patch({ description: 'new' })),
  async 'er-065'(at) {
    const path = await at.vpcs()
    const allowing = `${path}/${absentId}?update_mask=description&allow_missing=true`
    const answer = await at.ask(allowing, patch(at.vpcBody()))
    return unchanged(await at.namesBelow(path, 'vpcs'), [], answer)
  },
  'er-066': async at => at.ask(`${await at.vpc()}?update_mask=nosuch`, patch({})),
  'er-068': async at =>
    at.ask(`${await at.workspace()}?update_mask=description,state`, patch({ description: 'new', state: 'any' })),
  'er-069': async at => at.ask(`${await at.vpc()}?update_mask=description`, patch({ etag: 'stale' })),
  async 'er-070'(at) {
    const path = await at.vpc()
    const { etag } = await (await at.ask(path)).json()
    return at.ask(`${path}?update_mask=description`, patch({ description: 'new', etag }))
  },
  'er-071': async at => at.ask(`${await at.vpc()}?update_mask=description`, patch({ description: 'new' })),
  'er-074': async at => at.ask(`${await at.vpc()}?etag=stale`, { method: 'DELETE' }),
  async 'er-075'(at) {
    const path = await at.vpc()
    const [, workspace = '', vpc_id = ''] = /workspaces\/([^/]+).*\/([^/]+)$/.exec(path) ?? []
    const body = { name: at.name(), vpc_id, cidr_block: '10.20.1.0/24' }
    await at.api.network.createSubnet({ workspace, engine: 'native', body })
    return at.ask(path, { method: 'DELETE' })
  },
  async 'er-076'(at) {
    const path = await at.vpc()
    await at.ask(path, { method: 'DELETE' })
    return at.ask(path, { method: 'DELETE' })
  },
  'er-077': async at => at.ask(`${await at.workspace()}:resume`, post({ reason: 'to see' })),
  'er-080': async at => at.ask(`${await at.workspace()}:suspend`),
  'er-081': async at => at.ask(`${await at.workspace()}:suspend`, post([])),
  'er-082': at => at.ask(`${vms(at)}/${absentId}:start`, post('')),
  async 'er-083'(at) {
    const organisation = (await at.api.taxonomy.createOrganisation({ body: { name: at.name() } })).resource_id
    await at.api.taxonomy.createQuotaOverride({
      quota: 'taxonomy.workspaces',
      body: { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: organisation, limit: 0 },
    })
    return at.ask(`/taxonomy/v1/organisations/${organisation}/workspaces`, post({ name: at.name() }))
  },
  async 'er-084'(at) {
    const guess = (): Promise<Response> =>
      at.ask('/iam/v1/users:authenticate', post({ email: at.nobody.email, password: 'a wrong password' }))
    for (let i = 0; i < 5; i += 1) await guess()
    return guess()
  },
  'er-085': async at => at.askEnding(await at.vpcs(), {}),
  'er-086': async at => at.askSlowly(await at.vpcs()),
  async 'er-087'(at) {
    const leaving = new AbortController()
    const { status, headers, body } = await at.platform.dispatch({
      method: 'POST',
      target: await at.vpcs(),
      headers: { authorization: `Bearer ${at.admin.token}`, 'content-type': 'application/json' },
      body: (async function* () {
        leaving.abort()
        yield* []
        throw new Error('the caller has left')
      })(),
      signal: leaving.signal,
      clientAddress: '192.0.2.9',
    })
    return new Response(typeof body === 'string' ? body : null, { status, headers: headerLines(headers) })
  },
  // The platform of the scenarios has no mail server.
  'er-091': at =>
    at.ask(
      `/observability/v1/workspaces/${at.tenant.workspace}/engines/native/alert-rules`,
      post({ name: at.name(), query: 'up', receivers: [{ name: 'page', email: { to: ['a@acme.example'] } }] }),
    ),
  async 'er-093'(at) {
    const { workspace } = at.tenant
    const { id, resource_id } = await at.api.compute.createVm({ workspace, body: { ...tinyBody, name: at.name() } })
    await at.api.compute.deleteVm({ workspace, id: resource_id })
    return at.ask(`/compute/v1/operations/${id}`)
  },
  async 'er-097'(at) {
    const before = await operationsOf(at)
    const answer = await at.ask(vms(at), post({ ...tinyBody, name: 'NO NAME' }))
    if ((await operationsOf(at)) !== before) throw new Error('a refused request has made an operation')
    return answer
  },
  'er-098': at => at.ask(`/network/v1/operations/${absentId}:cancel`, post({})),
  'er-099': async at => at.ask(`${await operation(at)}:cancel`, post({})),
  'er-100': async at => at.ask(`${await operation(at)}:wait`, post({ timeout: '1s' })),
  async 'er-101'(at) {
    const body = { ...tinyBody, name: at.name() }
    const { id, resource_id } = await (await at.ask(vms(at), post(body))).json()
    const answer = await at.ask(`${vms(at)}/${resource_id}?update_mask=memory_mib`, patch({ memory_mib: 256 }))
    const { status } = await (await at.ask(`/compute/v1/operations/${id}`)).json()
    return unchanged([status], ['COMPUTE_OPERATION_STATUS_RUNNING'], answer)
  },
  'er-102': async at => at.ask(`${await at.vpcs()}?validate_only=true`, post({ ...at.vpcBody(), name: 'NO NAME' })),
  'er-103': async at => at.ask(`${await at.vpcs()}?validate_only=true`, { ...post(at.vpcBody()), caller: at.nobody }),
  async 'er-105'(at) {
    const path = await at.vpcs()
    const answer = await at.ask(`${path}?validate_only=true`, post(at.vpcBody()))
    return unchanged(await at.namesBelow(path, 'vpcs'), [], answer)
  },
  'er-106': async at =>
    at.ask(
      `${await at.vpc()}?update_mask=description&validate_only=true`,
      patch({ description: 'new', etag: 'stale' }),
    ),
  async 'er-108'(at) {
    const path = await at.vpcs()
    const asked = repeated(at.vpcBody(), 'er-108')
    const { id } = await (await at.ask(path, asked)).json()
    return sameOperation(id, await at.ask(path, asked))
  },
  async 'er-109'(at) {
    const path = await at.vpcs()
    await at.ask(path, repeated(at.vpcBody(), 'er-109'))
    return at.ask(path, repeated(at.vpcBody(), 'er-109'))
  },
  async 'er-112'(at) {
    const path = await at.vpcs()
    const asked = repeated(at.vpcBody(), 'er-112')
    const { status } = await at.askEnding(path, asked)
    if (status !== 503) throw new Error(`the first attempt was answered ${status}`)
    return at.ask(path, asked)
  },
  async 'er-113'(at) {
    const path = await at.vpc()
    const headers = { 'idempotency-key': 'er-113' }
    await at.ask(`${path}?update_mask=description`, { ...patch({ description: 'new' }), headers })
    return at.ask(path, { method: 'DELETE', headers })
  },
  async 'er-116'(at) {
    const path = await at.vpcs()
    const asked = repeated(at.vpcBody(), 'er-116')
    const [first, second] = await Promise.all([at.ask(path, asked), at.ask(path, asked)])
    return sameOperation((await first.json()).id, second)
  },
}

/** Returns the number of operations of compute, as far as one page shows them. */
async function operationsOf({ api }: ScenarioPlatform): Promise<number> {
  return (await api.compute.listOperations({ page_size: 100 })).operations.length
}

/** Returns the path of an operation that has ended. */
async function operation(at: ScenarioPlatform): Promise<string> {
  const { id } = await (await at.ask(await at.vpcs(), post(at.vpcBody()))).json()
  return `/network/v1/operations/${id}`
}

/** Returns the response. Throws unless the two lists are equal. */
function unchanged(found: readonly string[], expected: readonly string[], answer: Response): Response {
  if (found.join() !== expected.join()) throw new Error(`a refused request has an effect: ${found.join()}`)
  return answer
}

/** Returns the response. Throws unless it is the operation `id`. */
async function sameOperation(id: string, answer: Response): Promise<Response> {
  const text = await answer.text()
  if (JSON.parse(text).id !== id) throw new Error(`the second response is another operation: ${text}`)
  return new Response(text, answer)
}
