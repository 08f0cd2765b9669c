import { clockOf, startSession } from '../client/session.ts'
import type { Session, SessionTokens } from '../client/session.ts'
import { resume } from '../client/sign-in.ts'
import { ApiError } from '../runtime/errors.ts'
import { bearer, createTransport } from '../runtime/transport.ts'
import type { Transport } from '../runtime/transport.ts'
import { defaultUrl, serverUrl } from './server-url.ts'
import type { KeptSession, SessionFile } from './session-file.ts'

const headers = { 'user-agent': 'ninefold-cli' }

/** Returns a transport that sends no authorization. */
export const plainTransport = (baseUrl: string): Transport => ({ baseUrl, headers })

/**
 * Returns a transport to the chosen server. The transport authorizes its requests with the kept tokens if the tokens
 * belong to that server. `url` is the option of the command line; if absent, the server of the kept session is used, or
 * else `defaultUrl`.
 */
export async function connect(file: SessionFile, url: string | undefined): Promise<Transport> {
  const kept = await file.read()
  const baseUrl = url === undefined ? (kept?.base_url ?? defaultUrl) : serverUrl(url)
  if (kept?.base_url !== baseUrl) return createTransport({ baseUrl, headers })
  const session = keptSession(file, kept)
  return createTransport({ baseUrl, headers, authorize: bearer(session) })
}

/**
 * Starts a session whose tokens concurrent commands share. A refresh runs under the lock of the session file: the first
 * command renews the tokens, and the others read the renewed tokens.
 */
export function keptSession(
  file: SessionFile,
  { base_url, tokens }: KeptSession,
  transport = plainTransport(base_url),
): Session {
  const next = (last: SessionTokens): Promise<SessionTokens> =>
    file.exclusive(async () => {
      const latest = await file.read()
      if (latest?.base_url !== base_url) throw signedOut()
      if (latest.tokens.access_token !== last.access_token) return latest.tokens
      const session = resume(transport, latest.tokens, { onChange: changed => keep(file, base_url, changed) })
      await session.refresh()
      return session.tokens
    })
  const end = (last: SessionTokens): Promise<void> => resume(transport, last).signOut()
  return startSession(tokens, { next, end, now: clockOf(transport) })
}

/**
 * Writes new tokens to the session file, or removes the file if `tokens` is undefined, after the end of the session.
 */
export const keep = (file: SessionFile, base_url: string, tokens: SessionTokens | undefined): Promise<void> =>
  tokens ? file.write({ base_url, tokens }) : file.remove()

const signedOut = (): ApiError =>
  new ApiError(
    { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' },
    'another command signed out, or signed in elsewhere, at the same time',
  )
