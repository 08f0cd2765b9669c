// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, commonReasons, type FieldViolation } from './errors.ts'
import type { Json } from './json.ts'
import { didYouMean, fieldInvalid, quoted, refusal } from './refusal.ts'
import { canonical, isRecord, join } from './validation.ts'

/** The update rule of a field. */
export interface FieldRule {
  /**
   * `output`: the server sets the field; `immutable`: the field is set at create only; `input`: answers never have the
   * field. Absent: the field is mutable.
   */
  readonly behavior?: 'output' | 'immutable' | 'input'
  readonly required?: true
  /** The value of a cleared field; absent: the field is left out. */
  readonly default?: Json
  /** The rules of the fields of an object; mask paths may lead into the object. Absent for lists and maps. */
  readonly members?: Fields
}

/** The update rules of a resource's fields, keyed by name. */
export type Fields = Readonly<Record<string, FieldRule>>

const maskFault = ['UPDATE_MASK_INVALID', 'update_mask'] as const

/** The selected fields of an object: all fields, or a selection for each selected field, keyed by its name. */
type Selection = 'all' | Map<string, Selection>

/** The result of an update: the new value, and the paths of the changed values. */
export interface Updated<T> {
  readonly value: T
  readonly changed: readonly string[]
}

/** Throws `ApiError` UPDATE_MASK_INVALID unless the paths of an `update_mask` fit the fields (conventions §6). */
export const checkMask = (mask: string | undefined, fields: Fields): void => void selectionOf(mask, fields)

/**
 * Returns a fault for each required field in the mask that the body lacks, as far as this is known without the stored
 * resource. `at` is the member of the body that holds the resource; empty if the body is the resource. Returns no fault
 * for a mask that `checkMask` refuses.
 */
export function missingIn(mask: string | undefined, fields: Fields, body: object, at = ''): readonly FieldViolation[] {
  try {
    return missingOf(fields, body, selectionOf(mask, fields), at)
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

/**
 * Returns the result of an update by conventions §6; `stored` is not modified, and is the result if no value changes.
 * Without a mask, with an empty mask or `*`, every mutable field is replaced. A selected field that is absent or null
 * in the body becomes its default. Output-only and immutable fields keep their values, as do input-only fields of the
 * resource itself; an input-only member of an object keeps its value if the body omits the member and the mask does not
 * name it. `body` has passed the check of its schema. `at` is the member of the body that holds the resource; empty if
 * the body is the resource. Errors name `at`, `changed` does not. Throws `ApiError` UPDATE_MASK_INVALID, FIELD_INVALID
 * or FIELD_IMMUTABLE.
 */
export function applyUpdate<T extends object>(
  fields: Fields,
  stored: T,
  body: object,
  mask: string | undefined,
  at = '',
): Updated<T> {
  const update = new Update()
  const value = update.members(fields, stored, body, selectionOf(mask, fields), '')
  refuse('FIELD_INVALID', update.missing, at)
  refuse('FIELD_IMMUTABLE', update.immutable, at)
  return { value: update.changed.length > 0 ? value : stored, changed: update.changed }
}

/** The value that stands for any etag: the resource must exist. */
export const anyEtag = '*'

/**
 * Throws `ApiError` ETAG_MISMATCH if a given etag differs from the current etag, which is empty if the resource does not
 * exist (conventions §6). An absent or empty `given` is no precondition, and `*` is the etag of any existing resource.
 */
export function checkEtag(given: string | undefined, current: string): void {
  if (given === undefined || given === '' || given === current) return
  if (given === anyEtag && current !== '') return
  const message = `etag ${quoted(given)} is no longer current; read the resource again and repeat the change`
  throw new ApiError(commonReasons.ETAG_MISMATCH, message)
}

class Update {
  readonly changed: string[] = []
  readonly missing: FieldViolation[] = []
  readonly immutable: FieldViolation[] = []

  /**
   * Returns the updated members of an object. If `isNew`, the object is created, so members outside of the mask get
   * their defaults.
   */
  members<T extends object>(fields: Fields, before: T, body: object, selection: Selection, at: string, isNew = false) {
    const value = { ...before }
    for (const [name, rule] of Object.entries(fields)) {
      const chosen = chosenOf(selection, name)
      if (!chosen && !isNew) continue
      const given = chosen && memberOf(body, name)
      const old = memberOf(before, name)
      const path = join(at, name)
      const keeps = isNew ? rule.behavior === 'output' : isKept(rule, given, at, selection)
      const next = keeps ? this.#kept(rule, old, given, path) : this.#field(rule, old, given, chosen ?? 'all', path)
      if (next === undefined) Reflect.deleteProperty(value, name)
      else Reflect.defineProperty(value, name, { value: next, writable: true, enumerable: true, configurable: true })
    }
    return value
  }

  #kept(rule: FieldRule, old: unknown, given: unknown, path: string): unknown {
    if (rule.behavior === 'immutable' && given !== undefined && contradicts(rule, old, given))
      this.immutable.push({ field: path, description: 'cannot be changed; leave it out or send its current value' })
    return old
  }

  #field(rule: FieldRule, old: unknown, given: unknown, chosen: Selection, path: string): unknown {
    const { members } = rule
    const before = isRecord(old) ? old : undefined
    const isWhole = given === undefined && chosen === 'all' && !(members && before && holdsImmutable(members, before))
    if (!members || isWhole || !(given === undefined || isRecord(given))) return this.#whole(rule, old, given, path)
    if (before) return this.members(members, before, given ?? {}, chosen, path)
    if (!given || !gives(chosen, given)) return undefined
    const changes = this.changed.length
    const made = this.members(members, {}, given, chosen, path, true)
    if (this.changed.length === changes) this.changed.push(path)
    return made
  }

  #whole(rule: FieldRule, old: unknown, given: unknown, path: string): unknown {
    const next = given ?? rule.default
    if (next === undefined && rule.required) this.missing.push({ field: path, description: 'is required' })
    if (isSame(old ?? rule.default, next)) return old ?? next
    this.changed.push(path)
    return next
  }
}

function chosenOf(selection: Selection, name: string): Selection | undefined {
  return selection === 'all' ? 'all' : selection.get(name)
}

/**
 * Whether an update keeps the stored value of a field. An input-only field of the resource itself keeps its value; an
 * input-only member of an object keeps its value unless the body has the member or the mask names the member.
 */
function isKept({ behavior }: FieldRule, given: unknown, at: string, selection: Selection): boolean {
  if (behavior !== 'input') return behavior !== undefined
  return at === '' || (given === undefined && selection === 'all')
}

function missingOf(fields: Fields, body: object, selection: Selection, at: string): FieldViolation[] {
  return Object.entries(fields).flatMap(([name, rule]) => {
    const chosen = chosenOf(selection, name)
    if (!chosen || rule.behavior) return []
    const given = memberOf(body, name)
    if (rule.members) return isRecord(given) ? missingOf(rule.members, given, chosen, join(at, name)) : []
    const isMissing = rule.required && given === undefined && rule.default === undefined
    return isMissing ? [{ field: join(at, name), description: 'is required' }] : []
  })
}

function contradicts(rule: FieldRule, old: unknown, given: unknown): boolean {
  const { members } = rule
  if (!members || !isRecord(old) || !isRecord(given)) return !isSame(old ?? rule.default, given)
  return Object.entries(members).some(([name, inner]) => {
    const value = inner.behavior === 'output' ? undefined : memberOf(given, name)
    return value !== undefined && contradicts(inner, memberOf(old, name), value)
  })
}

function holdsImmutable(members: Fields, value: object): boolean {
  return Object.entries(members).some(([name, rule]) => {
    const member = memberOf(value, name)
    if (rule.behavior === 'immutable') return member !== undefined
    return rule.members !== undefined && isRecord(member) && holdsImmutable(rule.members, member)
  })
}

/**
 * Whether a body has a value for a selection: an absent object is not created in order to clear a member of the object.
 */
function gives(selection: Selection, given: Record<string, unknown>): boolean {
  if (selection === 'all') return true
  return [...selection].some(([name, inner]) => {
    const value = memberOf(given, name)
    return value !== undefined && (inner === 'all' || (isRecord(value) && gives(inner, value)))
  })
}

function selectionOf(mask: string | undefined, fields: Fields): Selection {
  if (mask === undefined || mask === '' || mask === '*') return 'all'
  const root = new Map<string, Selection>()
  for (const path of mask.split(',')) select(root, path, fields)
  return root
}

/** Adds a path to a selection; the broader of two paths covers the narrower. */
function select(root: Map<string, Selection>, path: string, fields: Fields): void {
  if (path === '*') throw refusal(...maskFault, '"*" stands for all fields; name fields or "*", not both')
  const steps = path.split('.')
  let level: Selection = root
  let members: Fields | undefined = fields
  for (const [i, name] of steps.entries()) {
    const outer = quoted(steps.slice(0, i).join('.'))
    if (!members) throw refusal(...maskFault, `${outer} is taken whole; no path leads through it`)
    const rule: FieldRule | undefined = Object.hasOwn(members, name) ? members[name] : undefined
    if (!rule) throw refusal(...maskFault, `no field ${quoted(path)}${didYouMean(name, Object.keys(members))}`)
    members = rule.members
    // An output-only field is ignored: a path into the field must exist, but selects no field.
    if (rule.behavior === 'output') level = 'all'
    if (level === 'all') continue
    const inner: Selection = i === steps.length - 1 ? 'all' : (level.get(name) ?? new Map<string, Selection>())
    level.set(name, inner)
    level = inner
  }
}

function memberOf(value: object, name: string): unknown {
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  return member ?? undefined
}

/** Whether two values are equal as JSON, whatever the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && canonical(a) === canonical(b))
}

function refuse(reason: 'FIELD_INVALID' | 'FIELD_IMMUTABLE', found: readonly FieldViolation[], at = ''): void {
  if (found.length === 0) return
  const faults = found.map(({ field, description }) => ({ field: join(at, field), description }))
  throw fieldInvalid(faults, reason)
}
