import { quoted } from '../../runtime/refusal.ts'
import { isRecord } from '../../runtime/validation.ts'
import type { SettingFaults } from './faults.ts'
import { inCode, Setting, type SettingForm } from './setting.ts'

/**
 * The names of the text members that all kinds of `T` have. A list can require that the values of such a member differ
 * between its items.
 */
type TextMember<T> = [T] extends [object]
  ? { [K in keyof T & string]: T[K] extends string ? K : never }[keyof T & string]
  : never

/** The rules of a list. */
export interface ListOptions<T> {
  /** The member whose value no two items share. A fault shows the repeated value. */
  readonly uniqueBy?: TextMember<T>
  /** Returns the fault of a list with valid items, as the continuation of the setting's name. */
  readonly fault?: (values: readonly T[]) => string | undefined
}

/**
 * Returns the setting of a list of items of one form. A list of scalars may also be written as one text with commas
 * between its items, and always is in an environment variable; a variable holds any other list as JSON.
 */
export function listOf<T>(
  item: Setting<T, 'required'>,
  options: ListOptions<T> = {},
): Setting<readonly T[], 'required'> {
  const { form } = item
  const shape: SettingForm<readonly T[]> = {
    notation: form.notation,
    read(given, place, faults) {
      const items = form.notation === 'text' && typeof given === 'string' ? entriesOf(given) : given
      if (!Array.isArray(items)) return faults.add(place, 'must be a list')
      const before = faults.count
      const read = items.map((each: unknown, i) => form.read(each, `${place}[${i}]`, faults))
      if (options.uniqueBy !== undefined) checkUnique(read, options.uniqueBy, place, faults)
      if (faults.count > before) return undefined
      const values = read.filter(value => value !== undefined)
      const fault = options.fault?.(values)
      return fault === undefined ? values : faults.add(place, fault)
    },
    show: values => shownList(form, values),
  }
  return new Setting(shape, 'required')
}

const entriesOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')

/**
 * Adds a fault for each item whose value an earlier item has too. An item with faults of its own has no value to
 * compare.
 */
function checkUnique(items: readonly unknown[], member: string, place: string, faults: SettingFaults): void {
  const first = new Map<string, number>()
  for (const [i, item] of items.entries()) {
    const value = isRecord(item) ? item[member] : undefined
    if (typeof value !== 'string') continue
    const other = first.get(value)
    if (other === undefined) first.set(value, i)
    else faults.add(`${place}[${i}].${member}`, `must be unique, but ${quoted(value)} stands in [${other}] too`)
  }
}

function shownList<T>(form: SettingForm<T>, values: readonly T[]): string {
  if (values.length === 0) return 'none'
  return form.notation === 'json' ? inCode(JSON.stringify(values)) : values.map(value => form.show(value)).join(', ')
}
