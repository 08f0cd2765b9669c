import { ApiError, rpcCodes } from '../../../runtime/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Traffic } from '../statistics/traffic.ts'
import { allowedCall } from './plane-doors.ts'

/** An answer of the plane, with its headers. */
interface Answered {
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Runs a call, and counts its request, bytes and errors for the statistics of the bucket. The bytes of an answer count
 * when it begins.
 */
export async function counted<Reply extends Answered>(
  traffic: Traffic,
  context: CallContext,
  call: () => Promise<Reply>,
): Promise<Reply> {
  const { bucket, request } = allowedCall(context)
  const isWrite = context.method === 'PUT'
  traffic.count(bucket, { [isWrite ? 'requests_write' : 'requests_read']: 1 })
  try {
    const reply = await call()
    const length = isWrite ? request.headers['content-length'] : reply.headers?.['content-length']
    const bytes = context.method === 'HEAD' ? 0 : Number(length ?? 0)
    traffic.count(bucket, { [isWrite ? 'bytes_ingress' : 'bytes_egress']: bytes })
    return reply
  } catch (error) {
    const isOfClient = error instanceof ApiError && rpcCodes[error.rpc] < 500
    traffic.count(bucket, { [isOfClient ? 'errors_client' : 'errors_server']: 1 })
    throw error
  }
}
