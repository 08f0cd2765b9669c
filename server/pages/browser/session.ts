/**
 * The session of a signed-in user in this tab. The tokens are kept for the tab alone: each tab signs in by itself, so
 * that no two tabs spend the same refresh token.
 */

/** The page at which users sign in. */
export const signInPath = '/sign-in'

const storageKey = 'ninefold.session'

/** A token is renewed this long before its end, in milliseconds. */
const earlyMs = 60_000

interface Tokens {
  readonly access: string
  readonly refresh: string
  /** The end of the access token, in milliseconds since 1970. */
  readonly endMs: number
}

/** An error answer of the API. */
export class AnswerError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let renewal: Promise<Tokens> | undefined

/** Signs a user in. Throws `AnswerError` with the message of the API. */
export async function signIn(email: string, password: string): Promise<void> {
  keep(await tokensFrom('/iam/v1/users:authenticate', { email, password }))
}

/** Sets the cookie that opens the pages of the server; returns the paths of the pages that the user may open. */
export async function openPages(): Promise<readonly string[]> {
  const token = await accessToken()
  if (token === undefined) return []
  const answer = await fetch('/sign-in/session', { method: 'PUT', headers: { authorization: `Bearer ${token}` } })
  const pages = member(await answered(answer), 'pages')
  return Array.isArray(pages) ? pages.map(page => String(member(page, 'path'))) : []
}

/**
 * Returns the access token of the session, which is renewed in time; undefined without a session. With `isRefused`, the
 * token is renewed even if it should still be valid.
 */
export async function accessToken(isRefused = false): Promise<string | undefined> {
  const tokens = kept()
  if (tokens === undefined) return undefined
  if (!isRefused && Date.now() < tokens.endMs - earlyMs) return tokens.access
  renewal ??= renew(tokens.refresh).finally(() => (renewal = undefined))
  try {
    return (await renewal).access
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status >= 500) throw error
    sessionStorage.removeItem(storageKey)
    return undefined
  }
}

/** Ends the session and removes the cookie. The tab forgets the session even if the server does not answer. */
export async function signOut(): Promise<void> {
  const tokens = kept()
  sessionStorage.removeItem(storageKey)
  await Promise.allSettled([
    fetch('/sign-in/session', { method: 'DELETE' }),
    tokens && post('/iam/v1/tokens:revoke', { token: tokens.refresh }),
  ])
}

async function renew(refresh: string): Promise<Tokens> {
  const tokens = await tokensFrom('/iam/v1/tokens:refresh', { refresh_token: refresh })
  keep(tokens)
  await openPages()
  return tokens
}

async function tokensFrom(path: string, body: object): Promise<Tokens> {
  const answer = await answered(await post(path, body))
  return {
    access: String(member(answer, 'access_token')),
    refresh: String(member(answer, 'refresh_token')),
    endMs: Date.now() + Number(member(answer, 'expires_in')) * 1000,
  }
}

const post = (path: string, body: object): Promise<Response> =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Returns the JSON of a success. Throws `AnswerError` for all other answers. */
export async function answered(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok) return body
  throw new AnswerError(answer.status, String(member(body, 'message') ?? `the server answered ${answer.status}`))
}

/** Returns a member of a value of JSON; undefined if the value is no object or has no such member. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const keep = ({ access, endMs, refresh }: Tokens): void =>
  sessionStorage.setItem(storageKey, JSON.stringify({ access, endMs, refresh }))

function kept(): Tokens | undefined {
  const text = sessionStorage.getItem(storageKey)
  if (text === null) return undefined
  const value: unknown = JSON.parse(text)
  const [access, endMs, refresh] = [member(value, 'access'), member(value, 'endMs'), member(value, 'refresh')]
  return { access: String(access), endMs: Number(endMs), refresh: String(refresh) }
}
