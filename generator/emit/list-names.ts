import type { Document, Operation } from '../model/types.ts'
import { camel, pascal } from './names.ts'

/** The names that follow from a list operation. */
export interface ListNames {
  /** The name of the constant with the list's filter and sort fields: `quotasList`. */
  readonly fields: string
  /** The name of the client's method that iterates over the rows of the list: `iterateQuotas`. */
  readonly iterator: string
}

const memo = new WeakMap<Document, ReadonlyMap<Operation, ListNames>>()

/**
 * Derives the names of `listQuotas` from `quotas`, or from the operation's whole name if another list or method has
 * these names. The first list in the document keeps the shorter names. Returns empty names for an operation that is no
 * list.
 */
export function listNames(operation: Operation, document: Document): ListNames {
  const known = memo.get(document) ?? namesOf(document)
  memo.set(document, known)
  return known.get(operation) ?? { fields: '', iterator: '' }
}

function namesOf(document: Document): ReadonlyMap<Operation, ListNames> {
  const fields = new Set<string>()
  const methods = new Set(['waitOperation', ...document.operations.map(({ name }) => name)])
  const lists = document.operations.filter(({ list }) => list !== undefined)
  return new Map(
    lists.map(operation => {
      const bases = [operation.name.replace(/^list(?=\p{Lu})/u, ''), operation.name]
      const named = {
        fields: claim(
          bases.map(base => `${camel(base)}List`),
          fields,
        ),
        iterator: claim(
          bases.map(base => `iterate${pascal(base)}`),
          methods,
        ),
      }
      return [operation, named]
    }),
  )
}

function claim(wanted: readonly string[], taken: Set<string>): string {
  let name = wanted.find(each => !taken.has(each)) ?? `${wanted.at(-1)}_`
  while (taken.has(name)) name += '_'
  taken.add(name)
  return name
}
