import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, type Config } from '../../../server/config.ts'
import type { SettingDeclarations, SettingValues } from '../../../server/settings/declarations.ts'
import { ConfigError } from '../../../server/settings/faults.ts'
import type { Setting } from '../../../server/settings/setting.ts'
import { settingsOf } from '../../../server/settings/values.ts'
import { testFolder } from '../store/harness.ts'

/** Where settings are written: the content of a file, and variables. */
export interface Written {
  readonly file?: unknown
  readonly environment?: Readonly<Record<string, string>>
}

/** A server's settings, read from a file with that content and from variables. */
export function configOf(declared: SettingDeclarations, { environment = {}, file = {} }: Written): Config {
  const path = join(testFolder(), 'ninefold.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return readConfig({ file: path, environment }, [declared])
}

/** The values of the settings that are declared. */
export const valuesOf = <D extends SettingDeclarations>(declared: D, written: Written): SettingValues<D> =>
  settingsOf(configOf(declared, written), declared)

/** The faults of written settings, the file without its folder; empty for valid settings. */
export function faultsOf(declared: SettingDeclarations, written: Written): readonly string[] {
  try {
    configOf(declared, written)
    return []
  } catch (error) {
    if (error instanceof ConfigError)
      return error.faults.map(fault => fault.replace(/\S*\/ninefold\.json/, 'ninefold.json'))
    throw error
  }
}

/** The setting `depot.part` as the declarations of an area. */
export const declaring = <T>(setting: Setting<T>) => ({ 'depot.part': setting.describe('a setting of the tests') })
