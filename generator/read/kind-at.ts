import { type Kind, membersOf, type Shape } from './kinds.ts'
import { own, segments } from './pointer.ts'
import type { Dialect, Located } from './types.ts'

/**
 * Returns the kind of the object at a place of an OpenAPI document. Returns undefined for a place inside of a file that
 * is no whole document, and for a place below which no kind is known, such as an extension.
 */
export function kindAt({ file, pointer }: Located): Kind | undefined {
  if (!isDocument(file.root)) return undefined
  let kind: Kind | undefined = 'document'
  const names = segments(pointer) ?? []
  for (let i = 0; i < names.length && kind; i++) {
    const shape = memberShape(kind, names[i] ?? '', file.dialect)
    if (typeof shape !== 'object') return undefined
    if ('one' in shape || 'flagOr' in shape) kind = 'one' in shape ? shape.one : shape.flagOr
    else {
      // The next name is the key or the index in the map or list.
      i += 1
      kind = i < names.length ? ('map' in shape ? shape.map : shape.list) : undefined
    }
  }
  return kind
}

const isDocument = (root: unknown): boolean => typeof own(root, 'openapi') === 'string'

function memberShape(kind: Kind, name: string, dialect: Dialect): Shape | undefined {
  const members = membersOf(kind, dialect)
  return Object.hasOwn(members, name) ? members[name]?.shape : undefined
}
