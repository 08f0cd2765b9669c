import type { Collection, Store, Transaction } from '../../../domain/ports/store.ts'
import { defineKind, type MakeError, type Resource } from '../../../domain/resources/kind.ts'
import { references } from '../../../domain/resources/references.ts'
import { Resources } from '../../../domain/resources/resources.ts'
import { ApiError, type RpcCode } from '../../../runtime/errors.ts'
import { jsonText } from '../../../domain/resources/json-text.ts'
import { testStore } from '../../server/store/harness.ts'

/** A shelf of the platform, which paths may identify by its name. */
export interface Shelf extends Resource {
  readonly name: string
  readonly book_count: number
}

/**
 * A book on a shelf. `vault_id` is the id of a second shelf, which no call changes; `lectern` is the name of a third
 * shelf.
 */
export interface Book extends Resource {
  readonly workspace_id?: string
  readonly name: string
  readonly shelf_id: string
  readonly vault_id?: string
  readonly lectern?: string
  readonly state: string
}

/** The types of a library's operations. */
export interface LibraryArea {
  readonly record: { readonly id: string }
  readonly operationType: 'CREATE' | 'UPDATE' | 'DELETE' | 'LEND'
  readonly resourceType: 'library.shelves' | 'library.books'
}

const raise =
  (reason: string, rpc: RpcCode): MakeError =>
  (message, details) =>
    new ApiError({ reason, rpc }, message, {}, details)

const taken =
  (reason: string, type: string) =>
  ({ name }: { readonly name: string }): ApiError =>
    raise(reason, 'ALREADY_EXISTS')('the name is taken', { resource: { type, name } })

export const shelves: Collection<Shelf> = {
  name: 'library_shelves',
  id: 'id',
  columns: { name: 'STRING' },
  uniques: [{ fields: ['name'], taken: taken('SHELF_TAKEN', 'library.shelves') }],
}

export const books: Collection<Book> = {
  name: 'library_books',
  id: 'id',
  columns: { workspace_id: 'STRING', name: 'STRING', shelf_id: 'STRING' },
  uniques: [{ fields: ['name'], taken: taken('BOOK_TAKEN', 'library.books') }],
}

export const shelfKind = defineKind({
  type: 'library.shelves',
  noun: 'shelf',
  collection: shelves,
  notFound: raise('SHELF_NOT_FOUND', 'NOT_FOUND'),
  inUse: raise('SHELF_IN_USE', 'FAILED_PRECONDITION'),
  isNamed: true,
})

export const bookKind = defineKind({
  type: 'library.books',
  noun: 'book',
  collection: books,
  fields: { name: {}, shelf_id: {} },
  notFound: raise('BOOK_NOT_FOUND', 'NOT_FOUND'),
  references: [
    { member: 'shelf_id', target: shelfKind, absent: raise('SHELF_NOT_FOUND', 'INVALID_ARGUMENT'), hold: 'lock' },
    { member: 'vault_id', target: shelfKind, absent: raise('SHELF_NOT_FOUND', 'INVALID_ARGUMENT') },
    {
      member: 'lectern',
      by: 'name',
      target: shelfKind,
      absent: raise('LECTERN_NOT_FOUND', 'NOT_FOUND'),
      hold: 'lock',
    },
  ],
  states: {
    member: 'state',
    transitions: { lend: { type: 'LEND', from: ['IN', 'BACK'], to: 'OUT' } },
    invalid: (message, { allowed, current }, details) =>
      new ApiError(
        { reason: 'BOOK_STATE_INVALID', rpc: 'FAILED_PRECONDITION' },
        message,
        { allowed, current },
        details,
      ),
  },
})

/**
 * A library over an empty store. `held` has the locks of its last transaction in order, for example `lock
 * library.books/<id>`.
 */
export interface Library {
  readonly store: Store
  readonly books: Resources<Book, LibraryArea>
  readonly held: string[]
  /** The shelf that the next read of a book returns in place of its own, as if the book was moved after that read. */
  staleShelf: string | undefined
}

export async function library(): Promise<Library> {
  const store = await testStore(shelves, books, references)
  const made: Library = { store, held: [], staleShelf: undefined, books: resources() }
  function resources(): Resources<Book, LibraryArea> {
    return new Resources(bookKind, {
      store,
      clock: { now: () => 0, newId: () => crypto.randomUUID() },
      taxonomy: {
        share: async () => {},
        requireActive: async () => {},
        chain: async () => [],
        consume: async () => {},
      },
      operations: {
        mutate: (_context, _request, change) =>
          store.tx(async tx => {
            made.held.length = 0
            const { resourceId, type } = await change(watched(tx, made), crypto.randomUUID())
            return jsonText({ id: resourceId, type })
          }),
      },
    })
  }
  return made
}

/**
 * Wraps a transaction so that its locks are recorded in `made.held`, and so that its next read of a book returns
 * `made.staleShelf`.
 */
function watched(tx: Transaction, made: Library): Transaction {
  const own: Pick<Transaction, 'get' | 'lock' | 'share'> = {
    async get(collection, id) {
      const stored = await tx.get(collection, id)
      const { staleShelf } = made
      if (stored === undefined || staleShelf === undefined || collection.name !== books.name) return stored
      made.staleShelf = undefined
      return { ...stored, value: { ...stored.value, shelf_id: staleShelf } }
    },
    lock(collection, id) {
      made.held.push(`lock ${collection.name}/${id}`)
      return tx.lock(collection, id)
    },
    share(collection, id) {
      made.held.push(`share ${collection.name}/${id}`)
      return tx.share(collection, id)
    },
  }
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
