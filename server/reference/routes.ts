import { bind } from '../../runtime/bind.ts'
import { plainText } from '../../runtime/body.ts'
import { ApiError, commonReasons, type ErrorDomain } from '../../runtime/errors.ts'
import { JsonText } from '../../runtime/json.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { BoundRoute, Reply } from '../../runtime/route.ts'
import { pageHeaderParameters, type PageCallers, type PageHeaders } from '../pages/page-callers.ts'

/** A file in an answer. */
interface File {
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const types = {
  html: 'text/html; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  json: 'application/json',
} as const

/**
 * Returns the routes of the API reference of all areas for people, the first area at `/`. The renderer is loaded on the
 * first request. `domain` is the error domain outside of all areas; `callers` knows the links for the caller of a page.
 */
export function referenceRoutes(
  domain: ErrorDomain,
  areas: readonly string[],
  callers: Pick<PageCallers, 'linksFor'>,
): readonly BoundRoute[] {
  const sorted = areas.toSorted()
  const pageOf = (area: string) => async (headers: PageHeaders, context: CallContext) => {
    const { page, pageHeaders } = await import('./page.ts')
    return { body: page(area, sorted, await callers.linksFor(headers, context)), headers: pageHeaders }
  }
  return [
    ...sorted.slice(0, 1).map(first => file(domain, 'reference', '/', 'html', pageOf(first))),
    ...sorted.flatMap(area => [
      file(domain, `${area}Reference`, `/reference/${area}`, 'html', pageOf(area)),
      file(domain, `${area}ReferenceDocument`, `/reference/${area}.json`, 'json', documentOf(area)),
    ]),
    file(domain, 'referenceScript', '/reference/redoc.js', 'javascript', script),
  ]
}

/** Returns the route of a public GET without parameters. */
function file(
  domain: ErrorDomain,
  operationId: string,
  path: string,
  type: keyof typeof types,
  read: (headers: PageHeaders, context: CallContext) => Promise<File>,
): BoundRoute {
  return bind(
    {
      operationId,
      method: 'GET',
      path: [path],
      parameters: pageHeaderParameters,
      success: [{ status: 200, type: types[type], kind: type === 'json' ? 'json' : plainText }],
      replies: true,
      domain,
      access: { kind: 'public' },
      check: (request): request is PageHeaders => typeof request === 'object',
    },
    async (request, context): Promise<Reply<200, unknown, Readonly<Record<string, string>>>> => ({
      status: 200,
      headers: {},
      ...(await read(request, context)),
    }),
  )
}

/**
 * Returns a function that returns the document of an area. The document is cached, because it takes a second to
 * compute; a failure is not cached.
 */
function documentOf(area: string): () => Promise<File> {
  let text: Promise<JsonText<object>> | undefined
  return async () => {
    text ??= describedText(area).catch((error: unknown) => {
      text = undefined
      throw error
    })
    return { body: await text }
  }
}

async function describedText(area: string): Promise<JsonText<object>> {
  const { referenceDocument } = await import('./document.ts')
  return new JsonText(JSON.stringify(await referenceDocument(area)))
}

async function script(): Promise<File> {
  const { readScript } = await import('./page.ts')
  const body = readScript()
  if (body === undefined) throw new ApiError(commonReasons.ROUTE_NOT_FOUND, 'the package "redoc" is not installed')
  return { body, headers: { 'cache-control': 'max-age=3600' } }
}
