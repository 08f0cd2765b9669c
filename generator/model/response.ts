import { flag, member, members, positionOf, text } from '../read/located.ts'
import { follow } from '../read/resolve.ts'
import type { Located } from '../read/types.ts'
import type { Building, BuildSchema } from './building.ts'
import { answersOf } from './content.ts'
import { anyType, isJsonType, isRange } from './media-types.ts'
import type { Response } from './types.ts'

/** The declared responses of an operation. */
export interface Responses {
  readonly successes: readonly Response[]
  readonly failures: readonly Response[]
}

/**
 * Returns the responses of an operation in the order of the document. The successes are the range 2XX and the single
 * statuses from 200 to 399. If none of these statuses is declared, `default` is the success; without `default`, any 2XX
 * status without a body counts as the success. The responses of HEAD have no content (RFC 9110 §9.3.2): their declared
 * content describes the answer of GET. `isList`: the operation is a list of `x-filter`.
 */
export function responsesOf(
  building: Building,
  operation: Located,
  method: string,
  build: BuildSchema,
  isList: boolean,
): Responses {
  const all = members(member(operation, 'responses')).flatMap(([status, at]) => {
    const known = statusOf(status)
    const response = follow(building.loaded, at)
    if (known === undefined || !response) return []
    const built = responseOf(building, known, response, build, isList)
    return [method === 'head' ? { ...built, ...empty } : built]
  })
  const declared = all.filter(
    ({ status }) => status === '2XX' || (typeof status === 'number' && status >= 200 && status < 400),
  )
  const isFallback = declared.length === 0
  const successes = all.filter(response => declared.includes(response) || (isFallback && response.status === 'default'))
  const failures = all.filter(response => !successes.includes(response))
  return { successes: successes.length > 0 ? successes : [anySuccess], failures }
}

const empty = { content: undefined, contents: [], isTagged: false } as const

const anySuccess: Response = { ...empty, status: '2XX', description: '', headers: [] }

const ranges = ['1XX', '2XX', '3XX', '4XX', '5XX'] as const

function statusOf(text: string): Response['status'] | undefined {
  if (text === 'default') return text
  return /^[1-5]\d\d$/.test(text) ? Number(text) : ranges.find(range => range === text.toUpperCase())
}

function responseOf(
  building: Building,
  status: Response['status'],
  at: Located,
  build: BuildSchema,
  isList: boolean,
): Response {
  const { loaded, diagnostics } = building
  const contents = answersOf(loaded, diagnostics, member(at, 'content'), build, isList)
  const [first] = contents
  return {
    status,
    description: text(at, 'description') ?? '',
    content: contents.find(({ kind }) => kind === 'json') ?? first,
    contents,
    isTagged: contents.length > 1 || (first !== undefined && first.type !== anyType && isRange(first.type)),
    headers: headersOf(building, at, build),
  }
}

/**
 * Returns the headers of a response without `Content-Type`: the `content` of the response describes this header, and
 * OpenAPI ignores it among the headers.
 */
function headersOf({ loaded }: Building, at: Located, build: BuildSchema): Response['headers'] {
  return members(member(at, 'headers')).flatMap(([name, reference]) => {
    const header = follow(loaded, reference)
    if (!header || name.toLowerCase() === 'content-type') return []
    const [content] = members(member(header, 'content'))
    const schema = content ? member(content[1], 'schema') : member(header, 'schema')
    const required = flag(header, 'required')
    const built = schema ? build(schema) : ({ kind: 'any', position: positionOf(header) } as const)
    const isJson = content !== undefined && isJsonType(content[0])
    return [{ name, required, schema: built, isJson, description: text(header, 'description') }]
  })
}
