import { messages } from '../diagnostics.ts'
import type { Checking } from './checking.ts'
import { isNewer } from './dialect.ts'
import { member, members, positionOf, text } from './located.ts'
import { isIgnoredHeader } from './operations.ts'
import type { Located } from './types.ts'

/** Matches the forms of a status in OpenAPI, and `4xx`, which many documents contain. */
const statusPattern = /^([1-5](\d\d|XX|xx)|default)$/

const modes: readonly string[] = ['sync', 'async', 'data']

/** Checks an operation independently of other operations. */
export function checkOperation(at: Located, { diagnostics }: Checking): void {
  const responses = member(at, 'responses')
  const statuses = members(responses).filter(([status]) => !status.startsWith('x-'))
  if (responses && statuses.length === 0) diagnostics.add(messages.responsesEmpty(), positionOf(responses))
  for (const [status, response] of statuses) {
    if (!statusPattern.test(status)) diagnostics.add(messages.statusInvalid(status), positionOf(response))
    else if (status.endsWith('xx')) diagnostics.add(messages.statusCase(status), positionOf(response))
  }
  if (!responses && isNewer(at)) diagnostics.add(messages.successMissing(), positionOf(at))
  const isSuccess = ([status]: (typeof statuses)[number]): boolean => /^([23]|default)/.test(status)
  if (responses && statuses.length > 0 && !statuses.some(isSuccess)) {
    diagnostics.add(messages.successMissing(), positionOf(responses))
  }
  const body = member(at, 'requestBody')
  if (body && /\/(get|head)$/.test(at.pointer)) diagnostics.add(messages.bodyOfGet(), positionOf(body))
  const id = member(at, 'operationId')
  if (id?.value === '') diagnostics.add(messages.operationIdEmpty(), positionOf(id))
  const mode = text(at, 'x-mode')
  if (mode !== undefined && !modes.includes(mode)) {
    diagnostics.add(messages.notOneOf('x-mode', mode, modes), at.file.positionOf(`${at.pointer}/x-mode`))
  }
}

/** The styles that OpenAPI 3.0.3 allows, keyed by the location of the parameter; the first style is the default. */
const styles: Readonly<Record<string, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Checks a parameter independently of other parameters. */
export function checkParameter(at: Located, { diagnostics }: Checking): void {
  const place = text(at, 'in')
  if (place === undefined) return
  const position = positionOf(at)
  const allowed = Object.hasOwn(styles, place) ? styles[place] : undefined
  if (!allowed) return diagnostics.add(messages.notOneOf('in', place, Object.keys(styles)), position)
  const style = text(at, 'style')
  if (style !== undefined && !allowed.includes(style))
    diagnostics.add(messages.styleUnsupported(style, place), position)
  for (const name of ['allowReserved', 'allowEmptyValue']) {
    const found = member(at, name)
    if (found?.value === true && place !== 'query') diagnostics.add(messages.notHonoured(name), positionOf(found))
  }
  if (place === 'path' && member(at, 'required')?.value !== true)
    diagnostics.add(messages.pathParameterOptional(), position)
  if (isIgnoredHeader(at)) diagnostics.add(messages.headerIgnored(text(at, 'name') ?? ''), position)
  const content = member(at, 'content')
  if (Boolean(content) === Boolean(member(at, 'schema'))) diagnostics.add(messages.schemaOrContent(), position)
  if (content && members(content).length !== 1) diagnostics.add(messages.contentOfParameter(), positionOf(content))
}
