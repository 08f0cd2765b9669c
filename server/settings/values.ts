import type { FixedDeclarations, KnownSettings, SettingDeclarations, SettingValues } from './declarations.ts'
import type { SettingFaults } from './faults.ts'
import type { ServerFacts, Setting } from './setting.ts'
import type { WrittenSetting } from './sources.ts'

/**
 * The values from the file and the environment, keyed by the setting that declares each value. Neither logs nor JSON
 * show the values.
 */
export class GivenSettings {
  readonly #values = new Map<Setting<unknown>, unknown>()

  /** Sets a value, and returns this object. */
  with<T>(setting: Setting<T>, value: T): this {
    this.#values.set(setting, value)
    return this
  }

  /** Returns the given value of a setting; undefined without a given value, even if the setting has a default. */
  get<T>(setting: Setting<T>): T | undefined {
    return this.#values.get(setting) as T | undefined
  }
}

/** Returns the values of the settings `byKey`, and ignores other keys. The last valid value of a key counts. */
export function givenSettings(
  written: readonly WrittenSetting[],
  byKey: KnownSettings['byKey'],
  faults: SettingFaults,
): GivenSettings {
  const given = new GivenSettings()
  for (const { key, place, value } of written) {
    const setting = byKey.get(key)
    const read = setting?.form.read(value, place, faults)
    if (setting !== undefined && read !== undefined) given.with(setting, read)
  }
  return given
}

/** Returns the values of settings without derived defaults: the given values, otherwise the defaults. */
export function fixedValues<D extends FixedDeclarations>(given: GivenSettings, declared: D): SettingValues<D> {
  return valuesOf(declared, setting => given.get(setting) ?? setting.fixed)
}

/** The part of a configuration from which the settings of an area are read. */
export interface SettingsSource extends ServerFacts {
  /** The given values; absent: none. */
  readonly given?: GivenSettings
}

/** Returns the values of an area's settings: the given values, otherwise the defaults. */
export function settingsOf<D extends SettingDeclarations>(config: SettingsSource, declared: D): SettingValues<D> {
  const { given } = config
  return valuesOf(declared, setting => given?.get(setting) ?? setting.fixed ?? setting.derive?.(config))
}

function valuesOf<D extends SettingDeclarations>(
  declared: D,
  valueOf: (setting: Setting<unknown>) => unknown,
): SettingValues<D> {
  const entries = Object.entries(declared).map(([key, setting]) => [key, valueOf(setting)])
  return Object.fromEntries(entries) as SettingValues<D>
}
