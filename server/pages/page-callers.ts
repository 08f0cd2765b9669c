import type { Authorizer } from '../../domain/ports/access.ts'
import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { Doors } from '../../runtime/doors.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'
import { tokenIn } from './session-cookie.ts'

/** The headers by which the caller of a page is known. */
export interface PageHeaders {
  readonly authorization?: string
  readonly cookie?: string
}

/** The parameters of a route that reads `PageHeaders`. */
export const pageHeaderParameters: readonly Parameter[] = [
  { name: 'authorization', in: 'header', type: 'string' },
  { name: 'cookie', in: 'header', type: 'string' },
]

/** A page in the navigation. */
export interface PageLink {
  readonly path: string
  readonly title: string
}

/** The page at which users sign in. */
export const signInLink: PageLink = { path: '/sign-in', title: 'Sign in' }

const dashboardsLink: PageLink = { path: '/dashboards', title: 'Dashboards' }

/** The permission for the dashboards, and the scope at which callers need it. */
const permission = 'observability.metrics.query'
const scope = { type: 'WORKSPACE', id: platformWorkspaceId } as const

/** Decides about the callers of pages. A caller sends an access token in a header, or in the cookie of the session. */
export class PageCallers {
  readonly #doors: Pick<Doors, 'authenticate'>
  readonly #access: Authorizer

  constructor(doors: Pick<Doors, 'authenticate'>, access: Authorizer) {
    this.#doors = doors
    this.#access = access
  }

  /**
   * Resolves if the caller may see the dashboards. Throws TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED
   * or TOKEN_REVOKED for anonymous callers, and IAM_PERMISSION_DENIED for callers without the permission.
   */
  async requireDashboards(headers: PageHeaders, context: CallContext): Promise<void> {
    await this.#access.require(await this.#signedIn(headers, context), permission, scope)
  }

  /** Returns the pages that a signed-in caller may open. */
  async pagesOf(context: CallContext): Promise<readonly PageLink[]> {
    return (await this.#access.holds(context, permission, scope)) ? [dashboardsLink] : []
  }

  /** Returns the links for the caller of a public page: the caller's pages, or the page for signing in. */
  async linksFor(headers: PageHeaders, context: CallContext): Promise<readonly PageLink[]> {
    if (headers.authorization === undefined && tokenIn(headers.cookie) === undefined) return [signInLink]
    try {
      return await this.pagesOf(await this.#signedIn(headers, context))
    } catch (error) {
      // A public page is also shown to callers whose token has ended, and while rights cannot be decided.
      if (error instanceof ApiError) return [signInLink]
      throw error
    }
  }

  async #signedIn({ authorization, cookie }: PageHeaders, context: CallContext): Promise<CallContext> {
    const token = tokenIn(cookie)
    const given = authorization ?? (token === undefined ? undefined : `Bearer ${token}`)
    const request = {
      method: context.method,
      target: context.path,
      headers: { authorization: given },
      body: undefined,
      signal: context.signal,
      clientAddress: context.clientAddress,
    }
    return { ...context, principal: await this.#doors.authenticate(request, { kind: 'authenticated' }) }
  }
}
