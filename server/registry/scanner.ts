import type { Clock } from '../../domain/ports/clock.ts'
import { nativeScanner } from '../../domain/registry/scan-results/scans-store.ts'
import type { RegistryTokens } from '../../domain/registry/tokens/registry-tokens.ts'
import type { SettingValues } from '../settings/declarations.ts'
import { HarborScanner } from './scanners/harbor-scanner.ts'
import type { registrySettings } from './settings.ts'
import type { ScanParts } from '../../domain/registry/scans/scan-parts.ts'
import { ScanTurn } from '../../domain/registry/scans/scan-turn.ts'
import { Verdicts } from '../../domain/registry/pull-blocks/verdicts.ts'
import { registryAdvisories, type AdvisorySources } from './advisories/registry-advisories.ts'
import { ThreadLayerReader } from './layers/thread-layer-reader.ts'
import type { PageTokens } from '../../runtime/page-token.ts'

/** The parts from which those of the scanner are made. */
interface Sources extends AdvisorySources {
  readonly clock: Clock
  readonly pageTokens: PageTokens
  readonly registryUrl: () => string
  readonly settings: SettingValues<typeof registrySettings>
  readonly tokens: RegistryTokens
}

/** Returns the parts of the scanner. */
export function scannerParts(sources: Sources): ScanParts {
  return {
    layers: new ThreadLayerReader(),
    advisories: registryAdvisories(sources.settings['registry.osv_dir'], sources),
    scanners: scannersOf(sources),
    scanTurn: new ScanTurn(),
    verdicts: new Verdicts(),
    pageTokens: sources.pageTokens,
  }
}

/** Returns the scanners by name: the built-in one, and those of the settings. */
function scannersOf({ clock, registryUrl, settings, tokens }: Sources): ScanParts['scanners'] {
  const parts = { registryUrl, tokenFor: (repository: string) => tokens.scanner(repository, clock.now()) }
  return new Map<string, HarborScanner | 'native'>([
    [nativeScanner, 'native'],
    ...settings['registry.scanners'].map(setting => [setting.name, new HarborScanner(setting, parts)] as const),
  ])
}
