import { observability } from '../../domain/observability/area.ts'
import { observabilityArea as generated, type ObservabilityArea } from '../../output/observability/area.ts'
import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import type { AreaModule } from '../area.ts'
import { areaInProgress, records } from '../area-in-progress.ts'

/** Returns the area of activities; its other resources are not built yet. */
export const observabilityArea = (): AreaModule =>
  areaInProgress<ObservabilityArea, ObservabilityHandlers>({
    generated,
    ...observability,
    built: { ...records(generated.filters), ...observability.built },
  })
