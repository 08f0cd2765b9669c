import type { S3Client, StorageClass } from '@aws-sdk/client-s3'
import type { RemoteCredentials, RemotePlace } from '../../../domain/storage/remote-store/remote-store.ts'
import { boundedClient, type StoreTimes } from './bounded-client.ts'
import { faultOf } from './store-faults.ts'

/** The longest time of a completion or a copy, for which stores may read all bytes, in milliseconds. */
export const longPatienceMs = 300_000

/** The time within which a request ends. */
export interface Within {
  readonly abortSignal: AbortSignal
  /** The longest time until a byte of the answer arrives, in milliseconds; absent: that of the account. */
  readonly requestTimeout?: number
}

/** The requests to an account of a store. */
export class StoreRequests {
  readonly client: S3Client
  readonly place: RemotePlace
  readonly #patienceMs: number

  constructor(place: RemotePlace, credentials: RemoteCredentials, times: StoreTimes) {
    this.place = place
    this.client = boundedClient(place, credentials, times)
    this.#patienceMs = times.patienceMs
  }

  /** The member of a request that gives a new object its storage class. */
  get classed(): { readonly StorageClass?: StorageClass } {
    const { storageClass } = this.place
    return isStorageClass(storageClass) ? { StorageClass: storageClass } : {}
  }

  /**
   * Sends requests within the time of the account, or within `longMs` milliseconds if the store may work that long before
   * it answers, and throws their errors as faults.
   */
  async sent<R>(send: (within: Within) => Promise<R>, longMs?: number): Promise<R> {
    const abortSignal = AbortSignal.timeout(longMs ?? this.#patienceMs)
    try {
      return await send({ abortSignal, ...(longMs !== undefined && { requestTimeout: longMs }) })
    } catch (error) {
      throw faultOf(error)
    }
  }
}

/** Whether a text names a storage class: stores have classes that the client does not know. */
const isStorageClass = (text: string): text is StorageClass => text !== ''
