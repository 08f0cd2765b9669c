import type { HttpAnswer, Request, RequestSender } from '../../generator/conform/call.ts'
import { isRecord } from '../../runtime/validation.ts'
import { lackOf } from '../error-families.ts'
import { isStatus } from '../runtime/status-judge.ts'

/** A sender, and the facts about its responses. */
interface Watched {
  readonly call: RequestSender
  /** The statuses of the responses, in order. */
  readonly answered: readonly number[]
  /**
   * A line for each error response that is malformed or lacks a detail of its family (conventions §7), and for each
   * response of one resource that is not answered by its etag, or that is answered by the etag of its content
   * (conventions §6).
   */
  readonly faults: ReadonlySet<string>
}

/** Wraps a sender so that it records and judges its responses. */
export function watched(call: RequestSender): Watched {
  const answered: number[] = []
  const faults = new Set<string>()
  const watching: RequestSender = async request => {
    const answer = await call(request)
    answered.push(answer.status)
    const fault = request.method === 'HEAD' ? undefined : await faultOf(request, answer, call)
    if (fault !== undefined) faults.add(fault)
    return answer
  }
  return { call: watching, answered, faults }
}

async function faultOf(request: Request, answer: HttpAnswer, call: RequestSender): Promise<string | undefined> {
  if (answer.status >= 400) {
    const told: unknown = JSON.parse(answer.body)
    return isStatus(told) ? lackOf(told) : `the error ${answer.body} is malformed`
  }
  // A verb such as `:metadata` answers about a resource, and is not the resource.
  const isVerb = /:[a-zA-Z]+(?:\?|$)/.test(request.target)
  if (request.method !== 'GET' || isVerb || !answer.body.startsWith('{')) return undefined
  const told: unknown = JSON.parse(answer.body)
  if (!isRecord(told) || typeof told.etag !== 'string') return undefined
  return faultOfTag(request, answer, `"${told.etag}"`, call)
}

/** The path of an object of storage, whose etag is that of its content (decision 0019). */
const objectPath = /^\/storage\/v1\/.+\/objects\//

async function faultOfTag(
  request: Request,
  { headers }: HttpAnswer,
  tag: string,
  call: RequestSender,
): Promise<string | undefined> {
  const isOfContent = objectPath.test(request.target)
  if (headers.etag !== (isOfContent ? undefined : tag))
    return `${request.target} has the ETag ${headers.etag}, not ${tag}`
  const again = await call({ ...request, headers: { ...request.headers, 'if-none-match': tag } })
  if (isOfContent && again.status === 200) return undefined
  if (again.status === 304 && again.body === '' && again.headers.etag === tag) return undefined
  return `${request.target} answers If-None-Match by ${again.status} ${again.body}`
}
