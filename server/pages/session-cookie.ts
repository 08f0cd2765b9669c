/**
 * The cookie with the access token of a signed-in user. It opens the pages of this server and nothing else: the API
 * reads the header `Authorization` alone, so that no request of another site acts for the user.
 */
const cookieName = 'ninefold_session'

/** Returns the access token in a header `Cookie`; undefined without one. */
export function tokenIn(cookies: string | undefined): string | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === cookieName && value !== '') return value
  }
  return undefined
}

/** Returns the header `Set-Cookie` that keeps a token until the browser ends; `isSecure` for sites with TLS. */
export const cookieOf = (token: string, isSecure: boolean): string => `${cookieName}=${token}${attributes(isSecure)}`

/** Returns the header `Set-Cookie` that removes the token. */
export const noCookie = (isSecure: boolean): string => `${cookieName}=${attributes(isSecure)}; Max-Age=0`

const attributes = (isSecure: boolean): string => `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
