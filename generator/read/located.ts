import { into, isRecord, own } from './pointer.ts'
import type { Located, SourceFile } from './types.ts'
import type { Position } from '../position.ts'

/** Returns the root of a file as a place. */
export const whole = (file: SourceFile): Located => ({ file, pointer: '', value: file.root })

/** Returns the place of an own member; undefined if the member is absent. */
export function member(at: Located, name: string): Located | undefined {
  const value = own(at.value, name)
  return value === undefined ? undefined : { file: at.file, pointer: into(at.pointer, name), value }
}

/** Returns the members of a record with their names, in the order of the document; empty for any other value. */
export function members(at: Located | undefined): readonly (readonly [name: string, at: Located])[] {
  if (!at || !isRecord(at.value)) return []
  return Object.entries(at.value).map(([name, value]) => [
    name,
    { file: at.file, pointer: into(at.pointer, name), value },
  ])
}

/** Returns the elements of a list; empty for any other value. */
export function elements(at: Located | undefined): readonly Located[] {
  if (!at || !Array.isArray(at.value)) return []
  return at.value.map((value: unknown, i) => ({ file: at.file, pointer: into(at.pointer, i), value }))
}

/** Returns the text of a member; undefined if the member is absent or no text. */
export function text(at: Located | undefined, name: string): string | undefined {
  const value = own(at?.value, name)
  return typeof value === 'string' ? value : undefined
}

/** Returns a member for readers as text; YAML reads a text such as `1.0` as a number if it is not quoted. */
export function words(at: Located | undefined, name: string): string | undefined {
  const value = own(at?.value, name)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : text(at, name)
}

/** Returns the texts in a list member, without elements of other types; empty if the member is absent or no list. */
export function texts(at: Located | undefined, name: string): readonly string[] {
  const value = own(at?.value, name)
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []
}

/** Returns the number of a member; undefined if the member is absent or no finite number. */
export function numeric(at: Located | undefined, name: string): number | undefined {
  const value = own(at?.value, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Whether a member is `true`. */
export const flag = (at: Located | undefined, name: string): boolean => own(at?.value, name) === true

/** Returns the position of a value in its file. */
export const positionOf = (at: Located): Position => at.file.positionOf(at.pointer)
