import { setTimeout as nextPoll } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import type { ComputeOperation, Vm, VmInput } from '../../../output/compute/types.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { computeSettings } from '../../../server/compute/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { addTenant } from '../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../areas/test-platform.ts'

/** Returns the settings of a platform with this factor for all durations of machines. */
export const atScale = (scale: number): GivenSettings =>
  new GivenSettings().with(computeSettings['compute.sim_time_scale'], scale)

/** The settings of a platform whose machines take no time, and whose metrics are sampled each second. */
export const oftenSampled = (): GivenSettings => atScale(0).with(computeSettings['compute.metrics_interval'], 1000)

/** The maximal wait for the end of an operation, in milliseconds. */
const patienceMs = 60_000

/**
 * A workspace of a test platform: its ids, a subnet, the client of the administrator, and shorthand functions for calls
 * on virtual machines.
 */
export interface TenantVms {
  readonly api: Ninefold
  readonly organisation: string
  readonly workspace: string
  readonly platform: TestPlatform
  /** A subnet of 10.20.1.0/24. */
  readonly subnet: string
  /** Creates a machine, by default of the image `tiny` without interfaces; returns the operation. */
  create(name: string, more?: Partial<VmInput>): Promise<ComputeOperation>
  get(id: string): Promise<Vm>
  /** Waits for the end of an operation. */
  ended(operation: { readonly id: string }): Promise<ComputeOperation>
  /** Creates a machine and waits for the end; returns the machine. */
  created(name: string, more?: Partial<VmInput>): Promise<Vm>
  list(filter: string): Promise<readonly string[]>
}

/** The options of `tenantVms`. */
export interface TenantVmsOptions extends TestPlatformOptions {
  /** Replaces all settings, the scale too. */
  readonly given?: GivenSettings
  /**
   * The number of times that the client of the administrator repeats a call that the server cannot take; by default 0.
   * A server that stalls on a loaded machine refuses calls with AUTHORIZATION_STALE for a moment, without any effect.
   */
  readonly retries?: number
}

/** Starts a platform with a tenant and one subnet. `scale` is the factor of all durations of machines. */
export async function tenantVms(
  scale = 0,
  { given = atScale(scale), later = onTestFinished, retries = 0, ...options }: TenantVmsOptions = {},
): Promise<TenantVms> {
  const platform = await testPlatform({ later, config: { given }, ...options })
  const { token } = await platform.admin()
  const api = new Ninefold(platform.transport(token, { retries, fetch: platform.from('192.0.2.7') }))
  const { organisation, workspace } = await addTenant(api, 'acme')
  const place = { workspace, engine: 'native' }
  const vpc = { name: 'main', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...place, body: vpc })
  const body = { name: 's', vpc_id, cidr_block: '10.20.1.0/24' }
  const { resource_id: subnet } = await api.network.createSubnet({ ...place, body })
  return { ...vmCalls(api, workspace), organisation, platform, subnet }
}

/** Returns the shorthand functions for the machines of a workspace, which call through `api`. */
export function vmCalls(api: Ninefold, workspace: string): Omit<TenantVms, 'organisation' | 'platform' | 'subnet'> {
  const { compute } = api
  const get: TenantVms['get'] = id => compute.getVm({ workspace, id })
  const create: TenantVms['create'] = (name, more = {}) =>
    compute.createVm({ workspace, body: { ...tinyBody, name, ...more } })
  const ended: TenantVms['ended'] = async ({ id }) => {
    const until = performance.now() + patienceMs
    for (;;) {
      const operation = await compute.getOperation({ id })
      if (isEnded(operation)) return operation
      if (performance.now() > until) throw new Error(`operation ${id} is still ${operation.status}`)
      await nextPoll(10)
    }
  }
  return {
    api,
    workspace,
    create,
    get,
    ended,
    async created(name, more) {
      const operation = await create(name, more)
      await ended(operation)
      return get(operation.resource_id)
    },
    list: async filter => (await compute.listVms({ workspace, filter })).vms.map(({ name }) => name),
  }
}

/** The body of a small machine. */
export const tinyBody = {
  zone: 'local1-a',
  cpu: { count: 1 },
  memory_mib: 128,
  boot_disk: { image: 'tiny' },
} as const satisfies Partial<VmInput>
