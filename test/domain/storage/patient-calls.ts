import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../output/client.ts'
import type { PresignedUrl } from '../../../output/storage/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { TenantStorage } from './tenant-storage.ts'

/** The time for which calls are repeated while the server is too busy to answer them, in milliseconds. */
const patienceMs = 60_000

/**
 * Signs the administrator in; returns a client that repeats calls which a busy server has refused before their begin. Long
 * runs sign in again, because a token expires after 15 minutes.
 */
export async function patientApi({ platform }: TenantStorage): Promise<Ninefold> {
  const { token } = await platform.admin()
  return new Ninefold(platform.transport(token, { retries: 20, fetch: platform.from('192.0.2.7') }))
}

/** The reasons for which a busy server refuses a call before its begin. */
const busy: ReadonlySet<string> = new Set(['AUTHORIZATION_STALE', 'ENGINE_UNAVAILABLE'])

/** Signs a URL; repeats the call, which the client does not repeat by itself, while a busy server refuses it. */
export async function signed<T>(sign: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await sign()
    } catch (error) {
      const isBusy = error instanceof ApiError && busy.has(error.reason)
      if (!isBusy || performance.now() > until) throw error
    }
    await nextPoll(50)
  }
}

/** Sends a text over a presigned URL; repeats the request while a busy server answers 503. */
export async function sendPatiently({ send }: TenantStorage, url: PresignedUrl, body: string): Promise<Response> {
  const until = performance.now() + patienceMs
  for (;;) {
    const answer = await send(url, { body })
    if (answer.status !== 503 || performance.now() > until) return answer
    await answer.body?.cancel()
    await nextPoll(50)
  }
}
