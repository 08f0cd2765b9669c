import { beforeAll, expect, it } from 'vitest'
import type { RetentionPolicyInput } from '../../../../output/observability/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes } from '../../../areas/race.ts'
import { series } from '../../../server/observability/native/engines.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'
import { servedMetrics, type ServedMetrics } from '../metric-calls/served-metrics.ts'
import { runPurge } from '../retention/run-purge.ts'
import { raceLimit } from './raced-alerts.ts'

const dayMs = 86_400_000

const [active, disabled] = [
  'OBSERVABILITY_RETENTION_POLICY_STATE_ACTIVE',
  'OBSERVABILITY_RETENTION_POLICY_STATE_DISABLED',
] as const

let served: ServedMetrics
let store: ServerStore

beforeAll(async () => {
  served = await servedMetrics(afterTests)
  store = await openBeside(served.platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

it(
  'a policy that changes while it is applied keeps its change, and the next purge applies the change',
  raceLimit,
  async () => {
    const { observability } = served.admin.api
    const { engine, workspace } = await served.newPlace()
    const at = { workspace, engine }
    const now = Date.now()
    const sample = (job: string) => series({ __name__: 'm', job }, [[now - 3 * dayMs, 1]])
    let id = ''
    let job = ''
    let night = now + dayMs
    await served.write(workspace, sample('kept'))
    const outcomes = await race(
      raceRounds,
      async round => {
        job = `job-${round}`
        await served.write(workspace, sample(job))
        const [selector, signal] = [`{job="${job}"}`, 'OBSERVABILITY_SIGNAL_METRICS'] as const
        const body: RetentionPolicyInput = { name: job, selector, signal, retention: '604800s' }
        id = (await observability.createRetentionPolicy({ ...at, body })).resource_id
        const change =
          round % 3 === 0 ? { state: disabled, retention: '864000s' } : { state: active, retention: '3600s' }
        const request = { ...at, id, update_mask: 'state,retention' }
        night += dayMs
        return [
          () => observability.updateRetentionPolicy({ ...request, body: change }),
          () => runPurge({ metrics: served.engine, now: night, store }),
        ]
      },
      async (outcome, round) => {
        expect(outcome).toBe('OK, OK')
        const policy = await observability.getRetentionPolicy({ ...at, id })
        const isDisabled = round % 3 === 0
        expect(policy).toMatchObject(
          isDisabled ? { state: disabled, retention: '864000s' } : { state: active, retention: '3600s' },
        )
        expect(policy.next_purge_time === undefined).toBe(isDisabled)
        night += dayMs
        await runPurge({ metrics: served.engine, now: night, store })
        const query = (name: string) => ({
          query: `count_over_time(m{job="${name}"}[5d])`,
          time: new Date(now).toISOString(),
        })
        const { vector } = await observability.queryMetrics({ ...at, body: query(job) })
        expect(vector).toHaveLength(isDisabled ? 1 : 0)
        expect((await observability.queryMetrics({ ...at, body: query('kept') })).vector).toHaveLength(1)
      },
    )
    console.log(`changes and purges: ${toldOutcomes(outcomes)}`)
    expect(await doctorFindings(served.platform.config)).toEqual([])
  },
)
