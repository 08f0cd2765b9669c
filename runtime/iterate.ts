import { answerInvalid } from './errors.ts'
import type { ClientRoute } from './route.ts'
import { send } from './transport.ts'
import type { CallOptions, Transport } from './transport.ts'

/** The answer of a list: rows under some member, and the token of the next page; absent, null or empty at the end. */
export interface PageAnswer {
  readonly next_page_token?: string | null
}

/** The type of the rows that an answer has under `Member`. */
export type RowOf<Result, Member extends keyof Result> =
  NonNullable<Result[Member]> extends readonly (infer Row)[] ? Row : never

/**
 * Every row of a list, page after page, each page asked for when its first row is. Rejects as `send` does; rows given
 * until then stay good.
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
 * Every page of a list. `next_page_token` of a page, given as `page_token` of a later request, goes on after it; all
 * else of the request must be the same (AIP-158). Rejects with ANSWER_INVALID when the server's tokens go in a circle.
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
    // Only tokens of pages 1, 2, 4, 8 ... are remembered, one at a time: that finds a circle of any length.
    if ((pages & (pages - 1)) === 0) mark = token
    next = withToken(route, request, token)
  }
}

/** The token goes where the operation takes it: a parameter, or the body of a list that is asked for by POST. */
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
