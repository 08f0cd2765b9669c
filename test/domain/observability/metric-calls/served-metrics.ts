import type { MetricEngine, WriteLimits } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { Series } from '../../../../domain/observability/metrics/samples.ts'
import { signalPolicies } from '../../../../domain/observability/retention/signal-policies.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { observabilityArea } from '../../../../server/observability/area.ts'
import { NativeMetricEngine } from '../../../../server/observability/native/native-metric-engine.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { addTenant, type Member } from '../../../areas/members.ts'
import { silent } from '../../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { batch, newFolder } from '../../../server/observability/native/engines.ts'
import type { Later } from '../../../server/store/harness.ts'
import { openBeside } from '../../../server/store/left-place.ts'

/** The place of metrics: a workspace and its engine. */
export interface MetricPlace {
  readonly workspace: string
  readonly engine: 'native'
}

/** A served platform whose engine of metrics a test writes to. */
export interface ServedMetrics {
  readonly platform: TestPlatform
  readonly admin: Member
  /** Creates a workspace. */
  newPlace(): Promise<MetricPlace & { readonly organisation: string }>
  /** Writes series of a workspace, as senders do. */
  write(workspace: string, ...series: readonly Series[]): Promise<void>
  readonly engine: NativeMetricEngine
}

const limits: WriteLimits = { activeSeries: -1, retentionMs: 10 * 365 * 86_400_000 }

/** The areas with another engine of metrics. */
export const withEngine = (metrics: MetricEngine) =>
  areas.map(area => (area.domain.name === 'observability' ? observabilityArea({ metrics }) : area))

/** Serves a platform over a new engine of metrics. */
export async function servedMetrics(later: Later): Promise<ServedMetrics> {
  const lease = new NativeLease()
  const { promise: store, resolve: stored } = Promise.withResolvers<ServerStore>()
  lease.hold(new AbortController().signal)
  const engine = new NativeMetricEngine({
    root: newFolder(later),
    clock: createClock(() => Date.now()),
    lease,
    log: silent,
    retentionOf: async workspace =>
      (await signalPolicies(await store, workspace, 'OBSERVABILITY_SIGNAL_METRICS')).retention,
  })
  later(() => engine.end())
  const platform = await testPlatform({ areas: withEngine(engine), later })
  const opened = await openBeside(platform.config, storeCollections(areas))
  later(() => opened.close())
  stored(opened)
  const admin = await platform.admin()
  let made = 0
  return {
    platform,
    admin,
    engine,
    async newPlace() {
      const { organisation, workspace } = await addTenant(admin.api, `tenant-${(made += 1)}`)
      return { organisation, workspace, engine: 'native' }
    },
    async write(workspace, ...series) {
      const { message } = await engine.write(workspace, batch(...series), limits)
      if (message !== '') throw new Error(message)
    },
  }
}
