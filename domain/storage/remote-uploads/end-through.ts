import { ApiError } from '../../../runtime/errors.ts'
import type { StorageEnvironment } from '../environment.ts'
import {
  beginEnding,
  changeUploadRow,
  unended,
  type Ending,
  type RemoteUploadRow,
} from '../remote-buckets/remote-upload-rows.ts'
import { isRefusal } from '../remote-objects/changes-store.ts'

/** The two halves of the end of an upload: the request to the store, and the commit of the rows. */
interface EndHalves<R> {
  readonly request: () => Promise<unknown>
  readonly commit: () => Promise<R>
}

/**
 * Ends an upload in its store, and then in its rows. If the call dies between the two, or does not know whether the store
 * has ended the upload, a worker ends the rows in its next run.
 */
export async function endThrough<R>(
  environment: Pick<StorageEnvironment, 'clock' | 'failed' | 'processes' | 'store'>,
  id: string,
  ending: Ending,
  { commit, request }: EndHalves<R>,
): Promise<R> {
  await beginEnding(environment, id, ending)
  try {
    await request()
  } catch (error) {
    // An absent upload may have been ended by an equal call that has died.
    const isRefused = isRefusal(error) && !(error instanceof ApiError && error.rpc === 'NOT_FOUND')
    await change(environment, id, isRefused ? unended : { owner: '' })
    throw error
  }
  try {
    return await commit()
  } catch (error) {
    await change(environment, id, { owner: '' })
    throw error
  }
}

const change = (
  { failed, store }: Pick<StorageEnvironment, 'failed' | 'store'>,
  id: string,
  members: Partial<RemoteUploadRow>,
): Promise<unknown> =>
  store
    .tx(tx => changeUploadRow(tx, id, members))
    .catch((fault: unknown) => failed(fault, `storage.multipartUploads ${id}`))
