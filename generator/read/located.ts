import type { Position } from '../model/types.ts'
import { into, isRecord, own } from './pointer.ts'
import type { Located, SourceFile } from './types.ts'

/** The root of a file as a place. */
export const whole = (file: SourceFile): Located => ({ file, pointer: '', value: file.root })

/** An own member; undefined if it is absent. */
export function member(at: Located, name: string): Located | undefined {
  const value = own(at.value, name)
  return value === undefined ? undefined : { file: at.file, pointer: into(at.pointer, name), value }
}

/** The members of a record with their names, in the order of the document; empty for any other value. */
export function members(at: Located | undefined): readonly (readonly [name: string, at: Located])[] {
  if (!at || !isRecord(at.value)) return []
  return Object.entries(at.value).map(([name, value]) => [
    name,
    { file: at.file, pointer: into(at.pointer, name), value },
  ])
}

/** The elements of a list; empty for any other value. */
export function elements(at: Located | undefined): readonly Located[] {
  if (!at || !Array.isArray(at.value)) return []
  return at.value.map((value: unknown, i) => ({ file: at.file, pointer: into(at.pointer, i), value }))
}

/** The text of a member; undefined if the member is absent or no text. */
export function text(at: Located | undefined, name: string): string | undefined {
  const value = own(at?.value, name)
  return typeof value === 'string' ? value : undefined
}

/** The texts in a list member; other elements are left out. */
export function texts(at: Located | undefined, name: string): readonly string[] {
  const value = own(at?.value, name)
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []
}

/** The number of a member; undefined if the member is absent or no finite number. */
export function numeric(at: Located | undefined, name: string): number | undefined {
  const value = own(at?.value, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Whether a member is `true`. */
export const flag = (at: Located | undefined, name: string): boolean => own(at?.value, name) === true

/** The position of a value in its file. */
export const positionOf = (at: Located): Position => at.file.positionOf(at.pointer)
