import type { Vulnerability } from '../../../output/registry/types.ts'
import type { FoundPackage } from './inventory.ts'

/** A vulnerability of a package; the scan policy decides about `excepted_by` when a report is read. */
export type Finding = Omit<Vulnerability, 'excepted_by'>

/** The advisories that the database holds. */
export interface AdvisoryState {
  /** The ecosystems in order, with commas: `Alpine:v3.20,Debian:12,npm`; reports show this text. */
  readonly version: string
  /** The time of the newest advisory in milliseconds since 1970. */
  readonly timeMs: number
  /** A text that differs if the advisories differ; absent: `version` and `timeMs` tell them apart. */
  readonly content?: string
}

/** A local database of advisories in the form of OSV. */
export interface Advisories {
  /** Returns the advisories that are loaded; undefined if there are none. The object changes with each refresh. */
  state(): AdvisoryState | undefined
  /** Returns the findings, the worst severity first, then by id, package and path. Yields to other work in between. */
  match(packages: readonly FoundPackage[], signal: AbortSignal): Promise<readonly Finding[]>
}
