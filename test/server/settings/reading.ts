import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, type Config } from '../../../server/config.ts'
import type { SettingDeclarations, SettingValues } from '../../../server/settings/declarations.ts'
import { ConfigError } from '../../../server/settings/faults.ts'
import type { Setting } from '../../../server/settings/setting.ts'
import { settingsOf } from '../../../server/settings/values.ts'
import { testFolder } from '../store/harness.ts'

/** The sources of settings: the content of a file, and environment variables. */
export interface Written {
  readonly file?: unknown
  readonly environment?: Readonly<Record<string, string>>
}

/** Returns a server's configuration from a file with this content and from environment variables. */
export function configOf(declared: SettingDeclarations, { environment = {}, file = {} }: Written): Config {
  const path = join(testFolder(), 'ninefold.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return readConfig({ file: path, environment }, [declared])
}

/** Returns the values of the declared settings. */
export const valuesOf = <D extends SettingDeclarations>(declared: D, written: Written): SettingValues<D> =>
  settingsOf(configOf(declared, written), declared)

/** Returns the faults of written settings, with `ninefold.json` for the path of the file; empty for valid settings. */
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

/** Declares a setting as `depot.part`, in the form of the declarations of an area. */
export const declaring = <T>(setting: Setting<T>) => ({ 'depot.part': setting.describe('a setting of the tests') })
