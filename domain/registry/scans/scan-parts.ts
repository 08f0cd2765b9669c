import type { PageTokens } from '../../../runtime/page-token.ts'
import type { Advisories } from '../scanning/advisories.ts'
import type { LayerReader } from '../scanning/inventory.ts'
import type { ExternalScanner } from '../scanning/external-scanner.ts'
import type { ScanTurn } from './scan-turn.ts'
import type { Verdicts } from '../pull-blocks/verdicts.ts'

/** The parts of the scanner. */
export interface ScanParts {
  /** Reads what is installed in images. */
  readonly layers: LayerReader
  /** The advisories with which the built-in scanner compares packages. */
  readonly advisories: Advisories
  /** The scanners by their names in policies and calls, the built-in one among them. */
  readonly scanners: ReadonlyMap<string, ExternalScanner | 'native'>
  /** Bounds the images that this server reads at a time. */
  readonly scanTurn: ScanTurn
  readonly verdicts: Verdicts
  /** Signs the page tokens of reports. */
  readonly pageTokens: PageTokens
}
