import type { Content, ErrorReason, Response } from '../model/types.ts'
import type { HttpAnswer, Request } from './call.ts'
import { errorOf, type ReportedError, statusOfRpc } from './error.ts'
import { isJson, parsed } from './json.ts'
import { faultsOf } from './judge.ts'
import { shapeOf } from './shape.ts'
import type { Subject } from './subject.ts'

/**
 * A difference between a response and its declaration. `what` names the faulty part, `expected` describes a correct
 * value, and `got` is the value found.
 */
export interface AnswerFault {
  readonly what: string
  readonly expected: string
  readonly got: string
}

/**
 * Returns the faults of one response: of its status, required headers, content type and body against the declaration,
 * of its trace headers with the option `platform`, and of its error in a strict run.
 */
export function answerFaults(answer: HttpAnswer, request: Request, subject: Subject): readonly AnswerFault[] {
  const { operation, isStrict } = subject
  const isSuccess = answer.status < 400
  const declared = matching(isSuccess ? operation.successes : operation.failures, answer.status)
  return [
    ...(subject.options.platform ? traceFaults(answer) : []),
    ...(declared ? [...headerFaults(answer, declared), ...bodyFaults(answer, request, declared, subject)] : []),
    ...(!declared && (isSuccess || isStrict) ? [undeclared(answer)] : []),
    ...(!isSuccess && isStrict && request.method !== 'HEAD' ? errorFaults(answer, subject) : []),
  ]
}

/**
 * Returns the declared response for a status: first the response with the exact status, then a range such as `4XX`,
 * then `default`. Returns undefined if none matches.
 */
export function matching(responses: readonly Response[], status: number): Response | undefined {
  const family = `${Math.floor(status / 100)}XX`
  const ranked: readonly Response['status'][] = [
    status,
    ...responses.map(each => each.status).filter(each => each === family),
    'default',
  ]
  return ranked.flatMap(wanted => responses.filter(response => response.status === wanted))[0]
}

const undeclared = ({ status }: HttpAnswer): AnswerFault => ({
  what: `status ${status}`,
  expected: 'a status that the operation declares',
  got: String(status),
})

/** Returns the faults of the headers that identify a call (conventions §1, W3C Trace Context). */
function traceFaults({ headers }: HttpAnswer): readonly AnswerFault[] {
  const patterns = { 'x-request-id': /^[\w-]{8,}$/, traceparent: /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/ }
  return Object.entries(patterns)
    .filter(([name, pattern]) => !pattern.test(headers[name] ?? ''))
    .map(([name]) => ({
      what: `header ${name}`,
      expected: 'this header on every answer',
      got: headers[name] ?? 'no such header',
    }))
}

function headerFaults({ headers }: HttpAnswer, declared: Response): readonly AnswerFault[] {
  return declared.headers
    .filter(({ name, required }) => required && headers[name.toLowerCase()] === undefined)
    .map(({ name }) => ({ what: `header ${name}`, expected: 'the declared header', got: 'no such header' }))
}

function bodyFaults(
  answer: HttpAnswer,
  request: Request,
  { contents, status }: Response,
  subject: Subject,
): readonly AnswerFault[] {
  if (request.method === 'HEAD') return []
  const what = `body of ${status}`
  if (contents.length === 0) return answer.body === '' ? [] : [{ what, expected: 'no body', got: answer.body }]
  const sent = answer.headers['content-type'] ?? ''
  const type = mediaType(sent)
  const fitting = contents.filter(({ aliases = [], type: own }) =>
    [own, ...aliases].some(each => isOfType(type, mediaType(each))),
  )
  const content = fitting.find(({ type: own }) => own === sent) ?? fitting[0]
  if (!content) {
    const expected = contents.map(each => each.type).join(' or ')
    return [{ what: `content type of ${status}`, expected, got: type || 'none' }]
  }
  const texts = jsonTextsOf(content, answer.body, subject)
  return texts.flatMap(text => jsonFaults(text, what, content, subject))
}

/**
 * Returns the JSON texts of a response: the whole body, each line of a stream of lines, or the data of each event.
 * Returns none for other bodies, for events of strings or enums, and for a schema that describes the event with its
 * `data` member.
 */
function jsonTextsOf({ kind, schema }: Content, body: string, { examples: { schemas } }: Subject): readonly string[] {
  if (kind === 'json') return [body]
  if (kind === 'lines') return body.split('\n').filter(line => line.trim() !== '')
  const shape = shapeOf(schema, schemas)
  const isWhole = shape.kind === 'object' && shape.properties.some(({ name }) => name === 'data')
  if (kind !== 'events' || isWhole || shape.kind === 'string' || shape.kind === 'enum') return []
  const events = body
    .split(/\r?\n\r?\n/)
    .map(event => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data))
  return events.filter(data => data.length > 0).map(data => data.join('\n'))
}

function jsonFaults(text: string, what: string, content: Content, subject: Subject): readonly AnswerFault[] {
  const json = parsed(text)
  if (!json || !isJson(json.value)) return [{ what, expected: 'JSON', got: text }]
  const judging = {
    schemas: subject.examples.schemas,
    view: 'output',
    strictTimes: subject.options.platform ?? false,
  } as const
  return faultsOf(json.value, content.schema, judging).map(fault => ({
    what: `${what}${fault.field && ` at ${fault.field.replace(/\[\d+\]/g, '[]')}`}`,
    expected: 'a value that fits the schema',
    got: `${fault.field} ${fault.what}`.trim(),
  }))
}

const mediaType = (text: string): string => (text.split(';')[0] ?? '').trim().toLowerCase()

function isOfType(type: string, declared: string): boolean {
  const [family, kind] = declared.split('/')
  return type === declared || family === '*' || (kind === '*' && type.startsWith(`${family}/`))
}

/** The domain of authentication and authorization errors in every area (conventions §7). */
const accessDomain = 'iam'

/** The reason of a handler that is not implemented yet. */
const notImplemented = 'NOT_IMPLEMENTED'

function errorFaults(answer: HttpAnswer, subject: Subject): readonly AnswerFault[] {
  const error = errorOf(answer)
  if (!error) return [{ what: 'error', expected: 'google.rpc.Status with ErrorInfo', got: answer.body }]
  if (error.domain === accessDomain || error.reason === notImplemented) return []
  const { document, operation, options } = subject
  const what = `error ${error.reason}`
  const isCommon = options.common?.some(({ reason }) => reason === error.reason) ?? true
  const isRaised = operation.raises?.some(
    reason => reason === error.reason || reason === `${error.domain}.${error.reason}`,
  )
  if (!isCommon && !(isRaised ?? true))
    return [{ what, expected: 'a reason of x-raises or the common ones', got: error.reason }]
  if (error.domain !== document.domain.name)
    return isRaised ? [] : [{ what, expected: `domain ${document.domain.name}`, got: error.domain }]
  return declarationFaults(answer, error, subject, what)
}

function declarationFaults(
  answer: HttpAnswer,
  error: ReportedError,
  { document, options }: Subject,
  what: string,
): readonly AnswerFault[] {
  const own = document.errors.find(({ reason }) => reason === error.reason)
  const declared = own ?? options.common?.find(({ reason }) => reason === error.reason)
  if (!declared) return []
  const [rpc, status] = statusOfRpc.get(isOfBody(declared, error) ? 'INVALID_ARGUMENT' : (declared.rpc ?? '')) ?? []
  const code = String(own ? own.code : codeOfCommon(declared, document.domain.base))
  return [
    ...(rpc !== error.rpc ? [{ what, expected: `rpc code ${rpc ?? 'none'}`, got: String(error.rpc) }] : []),
    ...(error.code !== code ? [{ what, expected: `metadata.code ${code}`, got: error.code ?? 'none' }] : []),
    ...(status !== answer.status && answer.status !== 405 && answer.status !== 415
      ? [{ what, expected: `status ${status ?? 'none'}`, got: String(answer.status) }]
      : []),
  ]
}

/** Whether an error with fields is about an absent resource that a field of the body names (conventions §3). */
const isOfBody = ({ rpc }: ErrorReason, { fields }: ReportedError): boolean => rpc === 'NOT_FOUND' && fields.length > 0

const codeOfCommon = ({ code }: ErrorReason, base = 0): number => base + code
