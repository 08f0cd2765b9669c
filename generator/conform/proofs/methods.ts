import type { HttpAnswer } from '../call.ts'
import type { Draft } from '../draft.ts'
import { errorOf, summaryOf } from '../error.ts'
import type { Probe } from '../probe.ts'
import type { Subject } from '../subject.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Proves that an undeclared method gets 405 with the declared methods in `Allow`, and that HEAD has the same status as
 * GET and no body (RFC 9110 §9.3.2).
 */
export async function proveMethods(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const declared = methodsOf(subject)
  const bare: Draft = { ...draft, body: undefined }
  for (const method of methods.filter(each => !declared.includes(each))) {
    const what = `the method ${method}`
    const answer = await probe.send({ ...bare, method }, what)
    if (answer) judge(answer, what, declared, subject, probe)
  }
  if (subject.operation.method === 'GET') await proveHead(probe, draft)
}

/**
 * Returns the methods that are declared for the operation's path: those of its template, and those of templates with
 * parameters in place of its literal segments. Paths that differ only in parameter names are the same path.
 */
function methodsOf({ document, operation }: Subject): readonly string[] {
  const path = segmentsOf(operation)
  const declared = document.operations.filter(each => covers(segmentsOf(each), path))
  return [...new Set(declared.map(({ method }) => method))]
}

/** Returns the segments of a path, with `{}` for each parameter. */
const segmentsOf = ({ pathParts }: Subject['operation']): readonly string[] =>
  pathParts
    .map((part, i) => (i % 2 === 0 ? part : '{}'))
    .join('')
    .split('/')

/**
 * Whether requests of the path `path` reach the path `other` with another method: both are the same, or `other` has
 * parameters where `path` has literal text. A verb such as `:stop` does not become a part of a parameter.
 */
function covers(other: readonly string[], path: readonly string[]): boolean {
  const first = path.findIndex((segment, i) => segment !== other[i])
  if (path.length !== other.length || first === -1) return path.length === other.length
  return (
    path[first]?.includes('{}') === false && path.every((segment, i) => segment === other[i] || fits(other[i], segment))
  )
}

function fits(pattern = '', segment: string): boolean {
  const [start = '', ...rest] = pattern.split('{}')
  const end = rest.at(-1) ?? ''
  return (
    rest.length > 0 && segment.length > start.length + end.length && segment.startsWith(start) && segment.endsWith(end)
  )
}

function judge(
  answer: HttpAnswer,
  what: string,
  declared: readonly string[],
  { isStrict }: Subject,
  probe: Probe,
): void {
  const reason = errorOf(answer)?.reason
  const isRefused = answer.status === 405 && (!isStrict || reason === 'ROUTE_NOT_FOUND')
  if (!isRefused) return probe.find('method', what, '405 ROUTE_NOT_FOUND', summaryOf(answer))
  const allowed = (answer.headers['allow'] ?? '')
    .split(',')
    .map(each => each.trim())
    .filter(Boolean)
  const further = allowed.filter(each => each !== 'HEAD' && each !== 'OPTIONS')
  if (further.toSorted().join() !== declared.toSorted().join())
    probe.find('method', what, `Allow: ${declared.join(', ')}`, answer.headers['allow'] ?? 'no such header')
}

async function proveHead(probe: Probe, draft: Draft): Promise<void> {
  const get = await probe.send(draft, 'GET before HEAD')
  const head = await probe.send({ ...draft, method: 'HEAD' }, 'the method HEAD')
  if (!get || !head) return
  if (head.status !== get.status)
    probe.find('method', 'the method HEAD', `${get.status} as for GET`, String(head.status))
  if (head.body !== '') probe.find('method', 'the method HEAD', 'no body', head.body)
}
