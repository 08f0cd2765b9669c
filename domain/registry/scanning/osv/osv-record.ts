import type { CvssScore } from '../../../../output/registry/types.ts'

/** An advisory in the form of OSV, as far as the scanner uses it. */
export interface OsvRecord {
  readonly id: string
  /** The time of its last change in milliseconds since 1970. */
  readonly modifiedMs: number
  /** Whether the advisory was withdrawn; such a record affects nothing. */
  readonly isWithdrawn: boolean
  /** The ids of the same vulnerability elsewhere. */
  readonly aliases: readonly string[]
  /** The ids of the vulnerabilities that a distribution handles by this advisory. */
  readonly upstream: readonly string[]
  readonly summary: string
  /** Addresses of pages. */
  readonly references: readonly string[]
  readonly scores: readonly CvssScore[]
  readonly affected: readonly OsvAffected[]
}

/** A package that an advisory affects. */
export interface OsvAffected {
  readonly ecosystem: string
  readonly name: string
  readonly ranges: readonly OsvRange[]
  /** Affected versions one by one. */
  readonly versions: readonly string[]
  /** Scores that hold for this package. */
  readonly scores: readonly CvssScore[]
}

/** A range of affected versions. */
export interface OsvRange {
  /** Whether the versions have the order of Semantic Versioning, whatever the ecosystem. */
  readonly isSemver: boolean
  readonly events: readonly OsvEvent[]
}

/** A version at which a package begins or ends to be affected. */
export interface OsvEvent {
  readonly kind: OsvEventKind
  readonly version: string
}

export const osvEventKinds = ['introduced', 'fixed', 'last_affected', 'limit'] as const
export type OsvEventKind = (typeof osvEventKinds)[number]
