import type { OpenRemoteStore } from '../../domain/storage/remote-store/remote-store.ts'

/** Opens an account of an S3 store. The client of S3 is loaded with the first account, because it is large. */
export const openRemoteStore: OpenRemoteStore = async (place, credentials) => {
  const { openS3Store } = await import('./s3/s3-store.ts')
  return openS3Store(place, credentials)
}
