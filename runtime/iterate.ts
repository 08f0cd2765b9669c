import { answerInvalid } from './errors.ts'
import type { ClientRoute } from './route.ts'
import { send } from './transport.ts'
import type { CallOptions, Transport } from './transport.ts'

/**
 * The answer of a list: rows under a member, and the token of the next page, which is absent, null or empty on the last
 * page.
 */
export interface PageAnswer {
  readonly next_page_token?: string | null
}

/** The type of the rows under `Member`. */
export type RowOf<Result, Member extends keyof Result> =
  NonNullable<Result[Member]> extends readonly (infer Row)[] ? Row : never

/**
 * Iterates over every row of a list. Each page is requested when the caller asks for the page's first row. Rejects as
 * `send` does; earlier rows stay valid.
 */
export async function* iterate<Request extends object, Result extends PageAnswer, Member extends keyof Result>(
  transport: Transport,
  route: ClientRoute<Request, Result>,
  member: Member,
  request: NoInfer<Request>,
  options?: CallOptions,
): AsyncGenerator<RowOf<Result, Member>, void, undefined> {
  for await (const page of iteratePages(transport, route, request, options)) {
    const rows: unknown = page[member]
    if (isRows<RowOf<Result, Member>>(rows)) yield* rows
  }
}

/**
 * Iterates over the pages of a list. A later request continues after a page if its `page_token` is the page's
 * `next_page_token` and its other parameters are equal (AIP-158). Rejects with ANSWER_INVALID if the tokens of the
 * server form a circle.
 */
export async function* iteratePages<Request extends object, Result extends PageAnswer>(
  transport: Transport,
  route: ClientRoute<Request, Result>,
  request: NoInfer<Request>,
  options: CallOptions = {},
): AsyncGenerator<Result, void, undefined> {
  let next = request
  let mark: string | undefined
  for (let pages = 1; ; pages += 1) {
    options.signal?.throwIfAborted()
    const page = await send(transport, route, next, options)
    yield page
    const token = page.next_page_token
    if (!token) return
    if (token === mark) throw answerInvalid(`${route.operationId} gave the same next_page_token twice`)
    // Only the tokens of pages 1, 2, 4, 8 ... are kept, one at a time, which finds a circle of any length.
    if ((pages & (pages - 1)) === 0) mark = token
    next = withToken(route, request, token)
  }
}

/** Returns the request with the token: as a parameter, or as a member of the body if the list has no such parameter. */
function withToken<Request extends object>(
  route: ClientRoute<Request, unknown>,
  request: Request,
  token: string,
): Request {
  const parameter = route.parameters?.find(({ name }) => name === 'page_token')
  if (!parameter && 'body' in request)
    return { ...request, body: Object.assign({}, request.body, { page_token: token }) }
  return { ...request, [parameter?.member ?? 'page_token']: token }
}

const isRows = <Row>(value: unknown): value is readonly Row[] => Array.isArray(value)
