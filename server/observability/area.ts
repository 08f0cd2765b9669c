import { observability } from '../../domain/observability/area.ts'
import { observabilityArea as generated, type ObservabilityArea } from '../../output/observability/area.ts'
import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import { engineCapabilityUnsupported } from '../../output/shared/errors.ts'
import type { AreaModule } from '../area.ts'
import { areaInProgress, records } from '../area-in-progress.ts'
import { nativeEngine } from '../engines.ts'
import { observabilitySettings } from './settings.ts'

/** Returns the area of activities; its other resources are not built yet. */
export const observabilityArea = (): AreaModule =>
  areaInProgress<ObservabilityArea, ObservabilityHandlers, never, never, typeof observabilitySettings>({
    generated,
    ...observability,
    settings: observabilitySettings,
    addedEngines: ({ settings }) => settings['observability.engines'].map(({ name }) => name),
    admit: () => admitEngine,
    built: { ...records(generated.filters), ...observability.built },
  })

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for a call on an engine other than the native engine. */
function admitEngine(_route: unknown, _context: unknown, _given: unknown, engine: string | undefined): void {
  if (engine === undefined || engine === nativeEngine) return
  const message = 'stacks of other software are not served; use the engine native'
  throw engineCapabilityUnsupported(message, { capability: 'STACK' })
}
