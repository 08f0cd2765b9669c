import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { MemberSetting } from '../../../../server/observability/stack/member.ts'
import { MemberClient } from '../../../../server/observability/stack/member-client.ts'
import { StackCounts } from '../../../../server/observability/stack/stack-counts.ts'
import type { Later } from '../../store/harness.ts'

/** The workspace whose calls go to members. */
export const workspace = '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3'

/** A request that a member has got. */
export interface ApiRequest {
  readonly path: string
  readonly parameters: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What a member answers: bytes, or a value that becomes JSON; status 200 unless another is given. */
export interface ApiAnswer {
  readonly status?: number
  readonly body: unknown
}

/** A server of an API on a port of this host. */
export interface ServedApi {
  readonly url: string
  /** The requests that the server has got, in their order. */
  readonly requests: ApiRequest[]
}

/** Answers the requests to an API. */
export type ServeApi = (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>

/** Serves an API as `serve` says until `later` ends it; each answer comes after `delayMs` milliseconds. */
export async function servedApi(serve: ServeApi, later: Later, delayMs = 0): Promise<ServedApi> {
  const requests: ApiRequest[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://member.test')
    const got = { path: pathname, parameters: searchParams, headers: request.headers, body: await buffer(request) }
    requests.push(got)
    if (delayMs > 0) await setTimeout(delayMs, undefined, { ref: false })
    const { body, status = 200 } = await serve(got)
    response.writeHead(status).end(body instanceof Uint8Array ? body : textOf(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** What a member has beside its answers. */
export interface MemberOptions {
  /** The path of its address. */
  readonly base?: string
  readonly hasTenants?: boolean
  readonly delayMs?: number
}

/** Serves a member of a stack, as the documentation of its API says, until the end of the running test. */
export async function apiMember(
  setting: MemberSetting,
  serve: ServeApi,
  { base = '', delayMs = 0, hasTenants = false }: MemberOptions = {},
): Promise<{ readonly client: MemberClient; readonly requests: readonly ApiRequest[] }> {
  const { requests, url } = await servedApi(serve, onTestFinished, delayMs)
  const member = { engine: 'far', setting, url: url + base, hasTenants }
  return { client: new MemberClient(member, new StackCounts()), requests }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
