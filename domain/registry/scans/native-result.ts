import type { AdvisoryState, Finding } from '../scanning/advisories.ts'
import type { Inventory } from '../scanning/inventory.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Scanner, Sbom } from '../../../output/registry/types.ts'
import { digestOf } from '../values/digest.ts'
import { countFindings } from '../scan-results/findings.ts'
import type { NewResult } from './end-scan.ts'
import { nativeScanner } from '../scan-results/scans-store.ts'

/** The version of the built-in scanner; it changes when the scanner reads more, so that earlier packages are read again. */
const version = '1.0.0'

/** Returns the scanner of a report that the built-in scanner made with these advisories, undefined without advisories. */
export const builtIn = (state: AdvisoryState | undefined): Scanner => ({
  name: nativeScanner,
  version,
  database_version: state?.version ?? '',
  ...(state && { database_time: formatMillis(state.timeMs) }),
})

/** Returns whether a scanner is the built-in one of this version. */
export const isBuiltIn = (scanner: Scanner | undefined): boolean =>
  scanner?.name === nativeScanner && scanner.version === version

/** The text of `StoredScan.advisories` for packages that were not compared with advisories, as there were none. */
const none = 'none'

/** Returns the text of `StoredScan.advisories` for results with these advisories. */
export const advisoriesOf = (state: AdvisoryState | undefined): string =>
  state ? digestOf('sha256', new TextEncoder().encode(`${state.timeMs} ${state.content ?? ''} ${state.version}`)) : none

/** The parts of a result of the built-in scanner. */
export interface NativeFindings {
  readonly inventory: Inventory
  /** The ids of the rows of the findings and of the packages; an empty id if there are no rows. */
  readonly rows: { readonly id: string; readonly inventory: string }
  /** Undefined if there were no advisories. */
  readonly findings: readonly Finding[] | undefined
  readonly state: AdvisoryState | undefined
  readonly sbom: Sbom | undefined
}

/** Returns a result of the built-in scanner. */
export const nativeResult = ({ findings, inventory, rows, sbom, state }: NativeFindings): NewResult => ({
  advisories: advisoriesOf(state),
  result: {
    ...rows,
    scanner: builtIn(state),
    ...(inventory.os && { os: inventory.os }),
    package_count: inventory.packages.length,
    ...(findings && { counts: countFindings(findings) }),
    unsupported_sources: inventory.unsupported,
    ...(sbom && { sbom }),
  },
})
