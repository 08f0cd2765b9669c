/** The error of unusable settings. Its message has a line for each fault: the place, then the fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The lines of the message. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** Collects the faults of all settings, so that one error reports all faults. */
export class SettingFaults {
  readonly #lines: string[] = []

  /**
   * Adds a fault. `place` names the source and the setting (`ninefold.json: http.port`). Returns undefined, which
   * callers return in place of a value.
   */
  add(place: string, description: string): undefined {
    this.#lines.push(`${place} ${description}`)
    return undefined
  }

  /** The number of faults so far. */
  get count(): number {
    return this.#lines.length
  }

  /** Throws a `ConfigError` with all faults if there is a fault. */
  raise(): void {
    if (this.#lines.length > 0) throw new ConfigError(this.#lines)
  }
}
