import { posix } from 'node:path'
import { type Message, messages } from '../diagnostics.ts'
import { isRecord, into, own, segments, step } from './pointer.ts'
import { splitReference } from './reference.ts'
import { nearest } from './suggest.ts'
import type { Loaded, Located, SourceFile } from './types.ts'

/** The target of a reference, or the message of its fault. */
export type Resolution =
  { readonly kind: 'found'; readonly at: Located } | { readonly kind: 'fault'; readonly message: Message }

/** The maximal length of a chain of references. A longer chain counts as a cycle. */
const maxChain = 100

/** The resolutions of the references in a file, keyed by reference. A file belongs to one run. */
const resolutions = new WeakMap<SourceFile, Map<string, Resolution>>()

/**
 * Looks up the target of one `$ref`, relative to the file `from`. The target may be another reference. Equal references
 * have one resolution, because most targets are looked up many times.
 */
export function resolve(loaded: Loaded, from: SourceFile, reference: string): Resolution {
  const ofFile = resolutions.get(from) ?? new Map<string, Resolution>()
  const known = ofFile.get(reference)
  if (known) return known
  const resolution = lookUp(loaded, from, reference)
  resolutions.set(from, ofFile.set(reference, resolution))
  return resolution
}

function lookUp(loaded: Loaded, from: SourceFile, reference: string): Resolution {
  const { path, pointer, isLocal } = splitReference(reference)
  if (!isLocal) return fault(messages.referenceRemote(reference))
  const name = path === '' ? from.file : posix.normalize(posix.join(posix.dirname(from.file), path))
  const file = loaded.files.get(name)
  if (!file) return fault(loaded.refused.get(name) ?? messages.fileUnreadable(name, 'ENOENT'))
  return find(file, pointer, reference)
}

const fault = (message: Message): Resolution => ({ kind: 'fault', message })

function find(file: SourceFile, pointer: string, reference: string): Resolution {
  const names = segments((isNewerFile(file) ? file.anchors.get(pointer) : undefined) ?? pointer)
  if (!names && isNewerFile(file)) return fault(messages.referenceNotFound(reference, nearestAnchor(file, pointer)))
  if (!names) return fault(messages.referencePointer(reference))
  let value: unknown = file.root
  let canonical = ''
  for (const name of names) {
    const next = step(value, name)
    if (next === undefined) return fault(messages.referenceNotFound(reference, suggestion(value, name)))
    value = next
    canonical = into(canonical, name)
  }
  return { kind: 'found', at: { file, pointer: canonical, value } }
}

const isNewerFile = ({ dialect }: SourceFile): boolean => dialect === '3.1'

const nearestAnchor = ({ anchors }: SourceFile, name: string): string | undefined => nearest(name, [...anchors.keys()])

const suggestion = (value: unknown, name: string): string | undefined =>
  isRecord(value) ? nearest(name, Object.keys(value)) : undefined

/** Returns the text of the `$ref` in a value; undefined if the value is no reference. */
export function referenceOf(value: unknown): string | undefined {
  const reference = own(value, '$ref')
  return typeof reference === 'string' ? reference : undefined
}

/**
 * Follows references to the first value that is no reference. Returns undefined if a reference is broken or the
 * references form a cycle.
 */
export function follow(loaded: Loaded, at: Located): Located | undefined {
  const end = chainEnd(loaded, at)
  return end === 'circle' ? undefined : end
}

/** Whether the references from a place form a cycle. */
export const isCircular = (loaded: Loaded, at: Located): boolean => chainEnd(loaded, at) === 'circle'

function chainEnd(loaded: Loaded, at: Located): Located | 'circle' | undefined {
  let current = at
  for (let i = 0; i < maxChain; i++) {
    const reference = referenceOf(current.value)
    if (reference === undefined) return current
    const resolution = resolve(loaded, current.file, reference)
    if (resolution.kind === 'fault') return undefined
    current = resolution.at
  }
  return 'circle'
}
