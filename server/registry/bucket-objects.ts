import type { ListedObject, ObjectFacts, ObjectPlace, OpenObject, Storage } from '../../domain/ports/storage.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Chunks } from '../../runtime/media.ts'
import { blobStoreUnavailable } from './blob-store-faults.ts'

/** The reasons of storage for an object that does not exist. */
const absences: ReadonlySet<string> = new Set(['OBJECT_NOT_FOUND', 'OBJECT_VERSION_NOT_FOUND'])

/**
 * The reasons that callers get as they are: another server has the bytes, or has written the object, or the bucket takes
 * no object of the size.
 */
const passed: ReadonlySet<string> = new Set(['ENGINE_UNAVAILABLE', 'OBJECT_ALREADY_EXISTS', 'OBJECT_TOO_LARGE'])

/** The reasons of a lack of space. */
const lacks: ReadonlySet<string> = new Set(['QUOTA_EXCEEDED', 'STORAGE_CAPACITY_EXHAUSTED'])

/** The bucket of blobs. */
export interface BucketParts {
  /** Returns the functions of storage; undefined if storage is not served. */
  readonly storage: () => Storage | undefined
  readonly place: Pick<ObjectPlace, 'workspace' | 'bucket'>
  /** Receives the errors of storage that an operator must end. */
  readonly report: (error: ApiError) => void
}

/** A version of an object by its name. */
type Named = Pick<ListedObject, 'object' | 'versionId'>

/**
 * The objects in a bucket of blobs, which the platform itself reads and writes. All functions throw ENGINE_UNAVAILABLE if
 * the bucket cannot be used, or if another server has its content.
 */
export class BucketObjects {
  readonly #parts: BucketParts

  constructor(parts: BucketParts) {
    this.#parts = parts
  }

  /** Iterates over the objects below a prefix in the order of their names. */
  async *list(prefix: string): AsyncGenerator<ListedObject, void, undefined> {
    try {
      yield* this.#storage().listObjects(this.#parts.place, prefix)
    } catch (error) {
      throw this.#known(error)
    }
  }

  /** Writes a new object. Throws OBJECT_ALREADY_EXISTS, OBJECT_TOO_LARGE, and an error of the body that is no `ApiError`. */
  put(object: string, body: Chunks): Promise<ObjectFacts> {
    return this.#attempt(storage => storage.putObject(undefined, this.#at(object), body, { ifNoneMatch: true }))
  }

  /** Makes an object of versions that a list has found; returns false if one of them is gone. Throws OBJECT_TOO_LARGE. */
  async join(object: string, parts: readonly Named[]): Promise<boolean> {
    return (await this.#present(storage => storage.joinObjects(undefined, this.#at(object), parts))) !== undefined
  }

  /** Opens an object; undefined if there is none. */
  open(object: string): Promise<OpenObject | undefined> {
    return this.#present(storage => storage.openObject(undefined, this.#at(object)))
  }

  /** Opens a version that a list has found. */
  openListed(version: Named): Promise<OpenObject> {
    return this.#attempt(storage => storage.openObject(undefined, this.#versionAt(version)))
  }

  /** Reads the bytes of a version that a list has found. `add` receives them one after the other. */
  async readListed(
    version: Named & Pick<ListedObject, 'size'>,
    add: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const opened = await this.openListed(version)
    for await (const bytes of unbroken(opened.stream(0, version.size - 1))) await add(bytes)
  }

  /** Deletes an object, if there is one. */
  async remove(object: string): Promise<void> {
    const facts = await this.#present(storage => storage.statObject(undefined, this.#at(object)))
    if (facts) await this.removeListed({ object, ...facts })
  }

  /** Deletes a version for good, if there still is one: also in a bucket with versioning. */
  async removeListed(version: Named): Promise<void> {
    await this.#present(storage => storage.deleteObject(undefined, this.#versionAt(version)))
  }

  /** Returns the result of a call; undefined if there is no such object. */
  #present<T>(work: (storage: Storage) => Promise<T>): Promise<T | undefined> {
    return this.#attempt(async storage => {
      try {
        return await work(storage)
      } catch (error) {
        if (error instanceof ApiError && absences.has(error.reason)) return undefined
        throw error
      }
    })
  }

  async #attempt<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
    try {
      return await work(this.#storage())
    } catch (error) {
      throw this.#known(error)
    }
  }

  /** Returns the error for callers in place of an error of storage. */
  #known(error: unknown): unknown {
    if (!(error instanceof ApiError) || passed.has(error.reason)) return error
    this.#parts.report(error)
    return blobStoreUnavailable(lacks.has(error.reason) ? 'full' : 'failed')
  }

  #storage(): Storage {
    const storage = this.#parts.storage()
    if (!storage) throw blobStoreUnavailable('failed')
    return storage
  }

  #at = (object: string): ObjectPlace => ({ ...this.#parts.place, object })

  #versionAt = ({ object, versionId }: Named): ObjectPlace => ({ ...this.#at(object), versionId })
}

/** Passes the bytes of an object on, and ends with ENGINE_UNAVAILABLE where its disk fails, which storage has reported. */
async function* unbroken(body: Chunks): Chunks {
  try {
    yield* body
  } catch {
    throw blobStoreUnavailable('failed')
  }
}
