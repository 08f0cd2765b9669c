import { ApiError } from './errors.ts'
import type { Authorize } from './transport.ts'

/** Where a client's bearer tokens come from. */
export interface TokenProvider {
  /** The token to send; asked before every try, so it should be cached. */
  token(): Promise<string>
  /** Makes `token` give a new one. Called when the server answers TOKEN_EXPIRED, once for all calls that wait for it. */
  refresh?(): Promise<unknown>
}

/** Sends the tokens of a provider: `createTransport({ baseUrl, authorize: bearer(provider) })`. */
export function bearer(provider: TokenProvider): Authorize {
  let renewing: Promise<unknown> | undefined

  async function renew(expired: string): Promise<boolean> {
    if (!provider.refresh) return false
    if (!renewing && (await provider.token()) !== expired) return true
    renewing ??= provider.refresh().finally(() => (renewing = undefined))
    await renewing
    return true
  }

  return async (headers, isRepeatable, run) => {
    const token = await provider.token()
    headers.set('authorization', `Bearer ${token}`)
    try {
      return await run()
    } catch (error) {
      if (!isRepeatable || !isExpired(error) || !(await renew(token))) throw error
      headers.set('authorization', `Bearer ${await provider.token()}`)
      return run()
    }
  }
}

const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && error.response?.status === 401 && error.reason === 'TOKEN_EXPIRED'
