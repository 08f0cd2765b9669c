import { ApiError, rpcCodes } from '../../../runtime/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Traffic } from '../statistics/traffic.ts'
import { allowedCall } from './plane-doors.ts'

/** The reply to a call of the plane, with the number of bytes of content that the call received or sends. */
export interface Transfer<Reply> {
  readonly reply: Reply
  readonly bytes: number
}

/**
 * Runs a call, and counts its request, bytes and errors for the statistics of the bucket. The bytes of an answer count
 * when it begins.
 */
export async function counted<Reply>(
  traffic: Traffic,
  context: CallContext,
  call: () => Promise<Transfer<Reply>>,
): Promise<Reply> {
  const { bucket } = allowedCall(context)
  const isWrite = context.method === 'PUT'
  traffic.count(bucket, { [isWrite ? 'requests_write' : 'requests_read']: 1 })
  try {
    const { bytes, reply } = await call()
    traffic.count(bucket, { [isWrite ? 'bytes_ingress' : 'bytes_egress']: bytes })
    return reply
  } catch (error) {
    const isOfClient = error instanceof ApiError && rpcCodes[error.rpc] < 500
    traffic.count(bucket, { [isOfClient ? 'errors_client' : 'errors_server']: 1 })
    throw error
  }
}
