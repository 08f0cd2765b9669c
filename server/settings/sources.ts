import { existsSync, readFileSync } from 'node:fs'
import { jsonFault } from '../../text/json-fault.ts'
import { didYouMean, quoted } from '../../runtime/refusal.ts'
import { isRecord } from '../../runtime/validation.ts'
import type { KnownSettings } from './declarations.ts'
import type { SettingFaults } from './faults.ts'

/** The sources of settings. */
export interface ConfigSources {
  /** The settings file, which must exist; absent: `ninefold.json` in the working folder, if there is such a file. */
  readonly file?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A value of a known setting as it is written, not yet checked. */
export interface WrittenSetting {
  readonly key: string
  /** The place of the value for faults: `ninefold.json: http.port`, `environment: NINEFOLD_HTTP_PORT`. */
  readonly place: string
  readonly value: unknown
}

/**
 * Returns the values of known settings, first of the file and then of the environment; a later value replaces an
 * earlier value. Unknown keys are faults.
 */
export function writtenSettings(
  { environment, file }: ConfigSources,
  known: KnownSettings,
  faults: SettingFaults,
): readonly WrittenSetting[] {
  return [...fromFile(file, known, faults), ...fromEnvironment(environment, known, faults)]
}

function* fromFile(
  named: string | undefined,
  { byKey }: KnownSettings,
  faults: SettingFaults,
): Iterable<WrittenSetting> {
  const file = named ?? 'ninefold.json'
  if (named === undefined && !existsSync(file)) return
  const keys = new Set<string>()
  for (const [key, value] of flattened(parsed(file, faults), '', byKey)) {
    const place = `${file}: ${key}`
    if (!byKey.has(key)) faults.add(`${file}:`, `${quoted(key)} is no setting${hintAt(key, byKey)}`)
    else if (keys.has(key)) faults.add(place, 'is given twice')
    else yield { key, place, value }
    keys.add(key)
  }
}

/**
 * Returns the remedy for an unknown key. A key below a known key names a part of its value, but a value can only be set
 * as a whole.
 */
function hintAt(key: string, byKey: KnownSettings['byKey']): string {
  const whole = [...byKey.keys()].find(known => key.startsWith(`${known}.`))
  return whole === undefined ? didYouMean(key, byKey.keys()) : `; it belongs in the value of ${quoted(whole)}`
}

function parsed(file: string, faults: SettingFaults): Record<string, unknown> {
  const text = fileText(file, faults)
  if (text === undefined) return {}
  const fault = jsonFault(text)
  const value: unknown = fault === undefined ? JSON.parse(text) : undefined
  if (isRecord(value)) return value
  faults.add(file, fault === undefined ? 'must hold one object' : `must hold JSON: ${fault}`)
  return {}
}

function fileText(file: string, faults: SettingFaults): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return faults.add(`the settings ${file}`, `cannot be read (${code}); name a file of JSON with --config`)
  }
}

/**
 * Yields each value with its dotted key. Dotted keys and nested objects are equivalent. The value of a known key is not
 * divided.
 */
function* flattened(
  value: Record<string, unknown>,
  prefix: string,
  byKey: KnownSettings['byKey'],
): Iterable<[string, unknown]> {
  for (const [name, member] of Object.entries(value)) {
    const key = prefix + name
    if (isRecord(member) && !byKey.has(key)) yield* flattened(member, `${key}.`, byKey)
    else yield [key, member]
  }
}

/** The variables of commands of clients, which a shell that starts a server may have too. */
const ofCommands: ReadonlySet<string> = new Set(['NINEFOLD_WORKSPACE'])

function* fromEnvironment(
  environment: ConfigSources['environment'],
  { byKey, keysByVariable }: KnownSettings,
  faults: SettingFaults,
): Iterable<WrittenSetting> {
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !variable.startsWith('NINEFOLD_') || variable.startsWith('NINEFOLD_TEST_')) continue
    if (ofCommands.has(variable)) continue
    const key = keysByVariable.get(variable)
    const place = `environment: ${variable}`
    if (key === undefined) {
      faults.add(place, `is no setting${didYouMean(variable, keysByVariable.keys())}`)
      continue
    }
    const value = byKey.get(key)?.form.notation === 'json' ? parsedVariable(text, place, faults) : text
    if (value !== undefined) yield { key, place, value }
  }
}

function parsedVariable(text: string, place: string, faults: SettingFaults): unknown {
  const fault = jsonFault(text)
  return fault === undefined ? JSON.parse(text) : faults.add(place, `must hold JSON: ${fault}`)
}
