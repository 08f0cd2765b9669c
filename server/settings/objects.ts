import { didYouMean, quoted } from '../../runtime/refusal.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import type { SettingFaults } from './faults.ts'
import { oneOf } from './scalars.ts'
import { inCode, Setting, type SettingForm, type Presence } from './setting.ts'

/** The members of an object, keyed by name. */
export type SettingMembers = Readonly<Record<string, Setting<unknown, Exclude<Presence, 'derived'>>>>

type ValueOf<S> = S extends Setting<infer T> ? T : never

type OptionalName<M extends SettingMembers> = {
  [K in keyof M]: M[K] extends Setting<unknown, 'optional'> ? K : never
}[keyof M]

type Flat<T> = { [K in keyof T]: T[K] }

/** The value of an object of these members: a member with a default is always present. */
export type ObjectValue<M extends SettingMembers> = Flat<
  { readonly [K in Exclude<keyof M, OptionalName<M>>]: ValueOf<M[K]> } & {
    readonly [K in OptionalName<M>]?: ValueOf<M[K]>
  }
>

/** Returns the setting of an object that has these members and no others. */
export function object<M extends SettingMembers>(members: M): Setting<ObjectValue<M>, 'required'> {
  return new Setting<ObjectValue<M>, 'required'>(
    json((given, place, faults) => readMembers(members, given, place, faults)),
    'required',
  )
}

/** The members of objects without the member `kind`, keyed by the kind. */
export type Kinds = Readonly<Record<string, SettingMembers & { readonly kind?: never }>>

/** The value of an object of one of several kinds, which the member `kind` names. */
export type KindValue<K extends Kinds> = {
  [Kind in keyof K & string]: Flat<{ readonly kind: Kind } & ObjectValue<K[Kind]>>
}[keyof K & string]

/** Returns the setting of an object whose member `kind` decides which other members the object has. */
export function objectByKind<K extends Kinds>(kinds: K): Setting<KindValue<K>, 'required'> {
  const kind = oneOf(Object.keys(kinds))
  const membersOf = new Map(Object.entries(kinds).map(([name, members]) => [name, { ...members, kind }]))
  return new Setting<KindValue<K>, 'required'>(
    json((given, place, faults) => {
      if (!isRecord(given)) return faults.add(place, 'must be an object')
      const named = own(given, 'kind')
      if (named === undefined) return faults.add(`${place}.kind`, 'is required')
      const members = membersOf.get(kind.form.read(named, `${place}.kind`, faults) ?? '')
      return members && readMembers(members, given, place, faults)
    }),
    'required',
  )
}

/** The rules of a map. */
export interface MapOptions {
  /**
   * Returns the fault of a name, as the continuation of the name; absent: any name is valid. A fault shows the name.
   */
  readonly nameFault?: (name: string) => string | undefined
}

/** Returns the setting of an object whose names the operator chooses, such as ids, with values of one form. */
export function mapOf<T>(
  item: Setting<T, 'required'>,
  { nameFault }: MapOptions = {},
): Setting<ReadonlyMap<string, T>, 'required'> {
  const form: SettingForm<ReadonlyMap<string, T>> = {
    notation: 'json',
    read(given, place, faults) {
      if (!isRecord(given)) return faults.add(place, 'must be an object')
      const before = faults.count
      const values = Object.entries(given).flatMap(([name, member]) => {
        const at = `${place}[${quoted(name)}]`
        const fault = nameFault?.(name)
        if (fault !== undefined) faults.add(at, fault)
        const value = item.form.read(member, at, faults)
        return value === undefined ? [] : [[name, value] as const]
      })
      return faults.count === before ? new Map(values) : undefined
    },
    show: values => (values.size === 0 ? 'none' : inCode(JSON.stringify(Object.fromEntries(values)))),
  }
  return new Setting(form, 'required')
}

/** Returns the form of objects. `read` returns an object only after it has checked every member of `T`. */
function json<T>(
  read: (given: unknown, place: string, faults: SettingFaults) => Record<string, unknown> | undefined,
): SettingForm<T> {
  return {
    notation: 'json',
    read: (given, place, faults) => read(given, place, faults) as T | undefined,
    show: value => inCode(JSON.stringify(value)),
  }
}

function readMembers(
  members: SettingMembers,
  given: unknown,
  place: string,
  faults: SettingFaults,
): Record<string, unknown> | undefined {
  if (!isRecord(given)) return faults.add(place, 'must be an object')
  const before = faults.count
  const names = Object.keys(members)
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(members, name)) faults.add(place, `has no member ${quoted(name)}${didYouMean(name, names)}`)
  }
  const read = Object.entries(members).flatMap(([name, member]) => {
    const value = readMember(member, own(given, name), `${place}.${name}`, faults)
    return value === undefined ? [] : [[name, value]]
  })
  return faults.count === before ? Object.fromEntries(read) : undefined
}

function readMember(member: SettingMembers[string], given: unknown, place: string, faults: SettingFaults): unknown {
  if (given !== undefined) return member.form.read(given, place, faults)
  return member.presence === 'required' ? faults.add(place, 'is required') : member.fixed
}
