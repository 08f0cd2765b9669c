import { clockOf, startSession } from '../client/session.ts'
import type { Session, Tokens } from '../client/session.ts'
import { resume } from '../client/sign-in.ts'
import { ApiError } from '../runtime/errors.ts'
import { bearer, createTransport } from '../runtime/transport.ts'
import type { Transport } from '../runtime/transport.ts'
import { defaultUrl, serverUrl } from './server-url.ts'
import type { Kept, SessionFile } from './session-file.ts'

const headers = { 'user-agent': 'ninefold-cli' }

/** How a server is called that nobody has signed in to. */
export const plainTransport = (baseUrl: string): Transport => ({ baseUrl, headers })

/**
 * The server that is meant, and how it is called: with the tokens that are kept, when they are that server's. `url` is
 * what the command line says; absent: where somebody signed in, else this machine.
 */
export async function connect(file: SessionFile, url: string | undefined): Promise<Transport> {
  const kept = await file.read()
  const baseUrl = url === undefined ? (kept?.base_url ?? defaultUrl) : serverUrl(url)
  if (kept?.base_url !== baseUrl) return createTransport({ baseUrl, headers })
  const session = keptSession(file, kept)
  return createTransport({ baseUrl, headers, authorize: bearer(session) })
}

/** A session whose tokens other commands renew too: whoever comes first does, and the others take what was kept. */
export function keptSession(
  file: SessionFile,
  { base_url, tokens }: Kept,
  transport = plainTransport(base_url),
): Session {
  const next = (last: Tokens): Promise<Tokens> =>
    file.exclusive(async () => {
      const latest = await file.read()
      if (latest?.base_url !== base_url) throw signedOut()
      if (latest.tokens.access_token !== last.access_token) return latest.tokens
      const session = resume(transport, latest.tokens, { onChange: changed => keep(file, base_url, changed) })
      await session.refresh()
      return session.tokens
    })
  const end = (last: Tokens): Promise<void> => resume(transport, last).signOut()
  return startSession(tokens, { next, end, now: clockOf(transport) })
}

/** Keeps tokens, or nothing after the end of a session. */
export const keep = (file: SessionFile, base_url: string, tokens: Tokens | undefined): Promise<void> =>
  tokens ? file.write({ base_url, tokens }) : file.remove()

const signedOut = (): ApiError =>
  new ApiError({ reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' }, 'somebody has signed out or in elsewhere meanwhile')
