import type { S3Client, StorageClass } from '@aws-sdk/client-s3'
import type { RemoteCredentials, RemotePlace } from '../../../domain/storage/remote-store/remote-store.ts'
import { boundedClient } from './bounded-client.ts'
import { faultOf } from './store-faults.ts'

/** The longest time of a request with its repetitions, in milliseconds. */
const patienceMs = 30_000

/** The longest time of a completion or a copy, for which stores may read all bytes, in milliseconds. */
export const longPatienceMs = 300_000

/** The time within which a request ends. */
export interface Within {
  readonly abortSignal: AbortSignal
}

/** The requests to an account of a store. */
export class StoreRequests {
  readonly client: S3Client
  readonly place: RemotePlace

  constructor(place: RemotePlace, credentials: RemoteCredentials) {
    this.place = place
    this.client = boundedClient(place, credentials)
  }

  /** The member of a request that gives a new object its storage class. */
  get classed(): { readonly StorageClass?: StorageClass } {
    const { storageClass } = this.place
    return isStorageClass(storageClass) ? { StorageClass: storageClass } : {}
  }

  /** Sends requests within a time, and throws their errors as faults. */
  async sent<R>(send: (within: Within) => Promise<R>, timeMs = patienceMs): Promise<R> {
    try {
      return await send({ abortSignal: AbortSignal.timeout(timeMs) })
    } catch (error) {
      throw faultOf(error)
    }
  }
}

/** Whether a text names a storage class: stores have classes that the client does not know. */
const isStorageClass = (text: string): text is StorageClass => text !== ''
