import { areaFault } from '../area-faults.ts'
import type { DescribedSetting, Presence } from './setting.ts'

/** Settings, keyed by dotted names (`'storage.engines'`). */
export type SettingDeclarations = Readonly<Record<string, DescribedSetting<unknown>>>

/** Settings whose defaults need no other settings. */
export type FixedDeclarations = Readonly<Record<string, DescribedSetting<unknown, Exclude<Presence, 'derived'>>>>

/** The values of settings, keyed by the names of the settings. A setting with a default always has a value. */
export type SettingValues<D extends SettingDeclarations> = {
  readonly [K in keyof D]: D[K] extends DescribedSetting<infer T, infer P>
    ? P extends 'defaulted' | 'derived'
      ? T
      : T | undefined
    : never
}

/** All settings of a server. */
export interface KnownSettings {
  readonly byKey: ReadonlyMap<string, DescribedSetting<unknown>>
  /** The keys of the settings, keyed by the environment variables that set them. */
  readonly keysByVariable: ReadonlyMap<string, string>
}

/** Returns the environment variable of a key: `NINEFOLD_HTTP_PORT` for `http.port`. */
const variableOf = (key: string): string => `NINEFOLD_${key.toUpperCase().replaceAll('.', '_')}`

/**
 * Returns all declared settings. Throws for a malformed key, for two keys that share a variable or of which one lies
 * within the other, and for one setting under two keys.
 */
export function knownSettings(declared: readonly SettingDeclarations[]): KnownSettings {
  const byKey = new Map<string, DescribedSetting<unknown>>()
  const keysByVariable = new Map<string, string>()
  const settings = new Set<DescribedSetting<unknown>>()
  for (const [key, setting] of declared.flatMap(each => Object.entries(each))) {
    if (!/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/.test(key))
      throw new Error(`the key of the setting "${key}" must be dotted words in lower case`)
    const other = keysByVariable.get(variableOf(key)) ?? [...byKey.keys()].find(each => isWithin(each, key))
    if (other !== undefined) throw new Error(`the settings "${other}" and "${key}" cannot be told apart: rename one`)
    if (settings.has(setting))
      throw new Error(`the setting "${key}" is declared under another key too: make a setting for each key`)
    settings.add(setting)
    byKey.set(key, setting)
    keysByVariable.set(variableOf(key), key)
  }
  return { byKey, keysByVariable }
}

const isWithin = (one: string, other: string): boolean => one.startsWith(`${other}.`) || other.startsWith(`${one}.`)

/** The part of an area that declares settings. */
interface DeclaringArea {
  readonly domain: { readonly name: string }
  readonly settings?: SettingDeclarations
}

/** Returns the settings that areas declare. Throws for a key that does not begin with the name of its area. */
export function declaredSettings(areas: readonly DeclaringArea[]): readonly SettingDeclarations[] {
  return areas.flatMap(({ domain, settings }) => {
    const stray = Object.keys(settings ?? {}).find(key => !key.startsWith(`${domain.name}.`))
    if (stray !== undefined) {
      const fault = `the key "${stray}" must begin with "${domain.name}."; rename it`
      throw new Error(areaFault(domain.name, 'settings', fault))
    }
    return settings === undefined ? [] : [settings]
  })
}
