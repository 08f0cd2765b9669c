import { bind } from '../../runtime/bind.ts'
import { plainText } from '../../runtime/body.ts'
import type { CallContext } from '../../runtime/context.ts'
import { ApiError, commonReasons, type ErrorDomain } from '../../runtime/errors.ts'
import { quoted } from '../../runtime/refusal.ts'
import type { BoundRoute, Method, Reply, Route } from '../../runtime/route.ts'
import { dashboardsFolder, dashboardsPage } from './dashboards-page.ts'
import { pageHeaders } from './html-page.ts'
import { pageHeaderParameters, signInLink, type PageCallers, type PageHeaders, type PageLink } from './page-callers.ts'
import { dashboardFiles, hasPlots, signInFiles, type PageFiles } from './page-files.ts'
import { cookieOf, noCookie } from './session-cookie.ts'
import { signInFolder, signInPage } from './sign-in-page.ts'

/** The parts that the pages use. */
export interface PageRouteParts {
  readonly domain: ErrorDomain
  readonly callers: PageCallers
  /** The engine with the telemetry of the platform itself. */
  readonly engine: string
  /** Returns the public address of the platform. */
  readonly baseUrl: () => string
}

type Headers = Readonly<Record<string, string>>

type PageReply = Reply<200 | 303, string | undefined, Headers>
type FileReply = Reply<200 | 304, unknown, Headers>
type KeptReply = Reply<200, { readonly pages: readonly PageLink[] }, Headers>
type EndedReply = Reply<204, undefined, Headers>

interface FileRequest extends PageHeaders {
  readonly file: string
  readonly 'if-none-match'?: string
}

const types = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
} as const

/** Returns the routes of the page for signing in, of its session, and of the dashboards. */
export function pageRoutes(parts: PageRouteParts): readonly BoundRoute[] {
  const { callers, domain, engine } = parts
  const open: Guard = async () => {}
  const guarded: Guard = (headers, context) => callers.requireDashboards(headers, context)
  const dashboards = { operationId: 'dashboardsPage', path: '/dashboards', guard: guarded }
  const signIn = { operationId: 'signInPage', path: signInLink.path, guard: open }
  return [
    pageRoute(domain, signIn, signInPage),
    folderRoute(domain, { operationId: 'signInFile', path: signInFolder, guard: open }, signInFiles()),
    ...sessionRoutes(parts),
    pageRoute(domain, dashboards, () => dashboardsPage(engine, hasPlots())),
    folderRoute(domain, { operationId: 'dashboardsFile', path: dashboardsFolder, guard: guarded }, dashboardFiles()),
  ]
}

/** A page or a folder of files, and its callers. */
interface Place {
  readonly operationId: string
  readonly path: string
  readonly guard: Guard
}

/** Throws an error of authentication or authorization for callers that may not see a page. */
type Guard = (headers: PageHeaders, context: CallContext) => Promise<void>

/** Returns the route of a page. An anonymous caller of a guarded page is led to the page for signing in. */
function pageRoute(domain: ErrorDomain, { guard, operationId, path }: Place, text: () => string): BoundRoute {
  const route = routeOf<PageHeaders, PageReply>(domain, operationId, 'GET', [path])
  const success = [{ status: 200, type: types.html, kind: plainText }, { status: 303 }] as const
  const handle = async (headers: PageHeaders, context: CallContext): Promise<PageReply> => {
    try {
      await guard(headers, context)
    } catch (error) {
      if (!(error instanceof ApiError) || error.rpc !== 'UNAUTHENTICATED') throw error
      return { status: 303, headers: { location: signInLink.path, 'cache-control': 'no-store' }, body: undefined }
    }
    return { status: 200, headers: pageHeaders, body: text() }
  }
  return bind({ ...route, parameters: pageHeaderParameters, success }, handle)
}

/** Returns the route of the files of a folder. Browsers keep a file and ask each time whether it has changed. */
function folderRoute(domain: ErrorDomain, { guard, operationId, path }: Place, files: PageFiles): BoundRoute {
  const parts = [`${path}/`, 'file']
  const route = routeOf<FileRequest, FileReply>(domain, operationId, 'GET', parts)
  const parameters = [
    ...pageHeaderParameters,
    { name: 'file', in: 'path', type: 'string' },
    { name: 'if-none-match', in: 'header', type: 'string' },
  ] as const
  const success = [{ status: 200, type: types.javascript, kind: plainText }, { status: 304 }] as const
  const handle = async (request: FileRequest, context: CallContext): Promise<FileReply> => {
    await guard(request, context)
    const file = await files.get(request.file)?.()
    if (file === undefined)
      throw new ApiError(commonReasons.ROUTE_NOT_FOUND, `there is no file ${quoted(request.file)}`)
    const { body, etag, type } = file
    const headers = { etag, 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' }
    const isSame = request['if-none-match']?.split(',').some(tag => tag.trim() === etag) ?? false
    if (isSame) return { status: 304, headers, body: undefined }
    return { status: 200, headers: { ...headers, 'content-type': types[type] }, body }
  }
  return bind({ ...route, parameters, success }, handle)
}

/** Returns the routes that set the cookie of a session from a bearer token, and that remove the cookie. */
function sessionRoutes({ baseUrl, callers, domain }: PageRouteParts): readonly BoundRoute[] {
  const path = `${signInFolder}/session`
  const isSecure = (): boolean => baseUrl().startsWith('https:')
  type Given = Pick<PageHeaders, 'authorization'>
  const keep = routeOf<Given, KeptReply>(domain, 'keepPageSession', 'PUT', [path])
  const kept = [{ status: 200, type: 'application/json', kind: 'json' }] as const
  const parameters = [{ name: 'authorization', in: 'header', type: 'string' }] as const
  const handleKeep = async ({ authorization }: Given, context: CallContext): Promise<KeptReply> => {
    const [, token = ''] = authorization?.trim().split(/ +/) ?? []
    const headers = { 'set-cookie': cookieOf(token, isSecure()), 'cache-control': 'no-store' }
    return { status: 200, headers, body: { pages: await callers.pagesOf(context) } }
  }
  const end = routeOf<object, EndedReply>(domain, 'endPageSession', 'DELETE', [path])
  const handleEnd = async (): Promise<EndedReply> => ({
    status: 204,
    headers: { 'set-cookie': noCookie(isSecure()), 'cache-control': 'no-store' },
  })
  return [
    bind({ ...keep, parameters, success: kept, access: { kind: 'authenticated' } }, handleKeep),
    bind({ ...end, success: [{ status: 204 }] }, handleEnd),
  ]
}

/** Returns the common part of the routes: a call that every caller may make, and whose handler decides. */
function routeOf<Request, Result>(
  domain: ErrorDomain,
  operationId: string,
  method: Method,
  path: readonly string[],
): Omit<Route<Request, Result>, 'success'> {
  return {
    operationId,
    method,
    path,
    replies: true,
    domain,
    access: { kind: 'public' },
    check: (request): request is Request => typeof request === 'object',
  }
}
