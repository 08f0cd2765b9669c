import type { VulnerabilityException } from '../../../output/registry/types.ts'
import type { Finding } from '../scanning/advisories.ts'
import { isActive } from '../values/expiry.ts'

/** The exceptions of a scan policy that have not ended. */
export class Exceptions {
  /** The time at which the first of the exceptions ends, in milliseconds since 1970; Infinity if none ends. */
  readonly endMs: number
  /** The names of packages for each vulnerability; an empty name stands for all packages. */
  readonly #packages = new Map<string, Set<string>>()

  /** Takes the exceptions that count at a time in milliseconds since 1970. */
  constructor(exceptions: readonly VulnerabilityException[], now: number) {
    const active = exceptions.filter(exception => isActive(exception, now))
    for (const { package: name, vulnerability_id } of active) {
      const names = this.#packages.get(vulnerability_id) ?? new Set()
      this.#packages.set(vulnerability_id, names.add(name))
    }
    const ends = active.flatMap(({ expire_time }) => (expire_time === undefined ? [] : [Date.parse(expire_time)]))
    this.endMs = Math.min(Infinity, ...ends)
  }

  /** Whether there is no exception. */
  get isEmpty(): boolean {
    return this.#packages.size === 0
  }

  /** Returns whether an exception names a finding by its id or an alias, and by its package unless it is for all. */
  has({ aliases, id, package: { name } }: Finding): boolean {
    return [id, ...aliases].some(known => {
      const names = this.#packages.get(known)
      return names !== undefined && (names.has('') || names.has(name))
    })
  }
}
