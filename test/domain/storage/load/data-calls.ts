import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { fetchAs } from '../../../areas/kill/fetch-as.ts'

/** Sends a request over a presigned URL until the server with the content responds; returns the response. */
export type DataCall = (url: PresignedUrl, body?: Uint8Array<ArrayBuffer>) => Promise<Response>

/**
 * Returns a call that changes to the next server when a server does not respond or does not serve content. An upload
 * whose response was lost is sent again.
 */
export function dataCalls(addresses: readonly string[]): DataCall {
  let at = 0
  return async ({ headers, method, url }, body) => {
    const { host, pathname, search } = new URL(url)
    const init = { method: method.replace('STORAGE_HTTP_METHOD_', ''), headers: { ...headers, host } }
    for (;;) {
      const target = `${addresses[at % addresses.length] ?? ''}${pathname}${search}`
      try {
        const answer = await fetchAs(target, { ...init, ...(body && { body }) })
        if (answer.status !== 503) return answer
      } catch {
        // The server was killed, or it restarts.
      }
      at += 1
      await sleep(20)
    }
  }
}

/** Returns the digest by which a journal names a content. */
export const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex').slice(0, 16)
