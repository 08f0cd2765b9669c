import type { AreaModule } from '../../../../../server/area.ts'
import { areas } from '../../../../../server/areas.ts'
import { observabilitySettings } from '../../../../../server/observability/settings.ts'
import { withFrequentWorker } from '../../../../areas/kill/frequent-worker.ts'
import { givenRootKey } from '../../../../areas/kill/given-root-key.ts'
import type { WalkedOptions } from '../../../../areas/kill/serve-walked.ts'

const exporter = 'observability.sinks'

/** The areas that sinks need: storage has their buckets, and the vault their secrets. Sinks export ten times a second. */
export const walkedAreas: readonly AreaModule[] = areas
  .filter(({ domain }) => ['taxonomy', 'topology', 'storage', 'vault', 'observability'].includes(domain.name))
  .map(area => (area.domain.name === 'observability' ? withFrequentWorker(area, exporter) : area))

/** The calls that change sinks. */
export const walkedCalls: readonly string[] = ['createLogSink', 'updateLogSink', 'deleteLogSink']

/** Returns the options of a walked server: sinks may send to this host. */
export const walkedSettings = (): WalkedOptions => ({
  given: givenRootKey().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8']),
  calls: walkedCalls,
  workers: [exporter],
  tellsRepeats: true,
})
