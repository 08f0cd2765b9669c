import { isDeepStrictEqual } from 'node:util'
import { type Message, messages } from '../diagnostics.ts'
import type { Checking } from './checking.ts'
import { checkRaises, reasonsOf } from './check-extensions.ts'
import { isDefaultDialect, isNewer } from './dialect.ts'
import { checkFallbacks } from './check-fallbacks.ts'
import { elements, member, members, positionOf, text, whole } from './located.ts'
import {
  encodedLiteral,
  type FoundOperation,
  operationsOf,
  parameterKey,
  parametersOf,
  templateParts,
} from './operations.ts'
import { own } from './pointer.ts'
import { errorReasonsOf } from './reasons.ts'
import { follow } from './resolve.ts'
import { readServer, serverBelow } from './servers.ts'
import type { Entry, Located } from './types.ts'

/**
 * Runs the checks that need an entire entry document: the checks of its version, its paths, and its operations against
 * each other.
 */
export function checkEntry({ file }: Entry, checking: Checking): void {
  const { beside, loaded, diagnostics } = checking
  const document = whole(file)
  const operations = operationsOf(loaded, file)
  checkTemplates(document, operations, checking)
  checkFallbacks(document, operations, checking)
  checkIds(operations, checking)
  checkServers(document, checking)
  checkServersBelow(operations, checking)
  checkDialect(document, checking)
  checkSecurity(document, operations, checking)
  checkFailures(document, operations, checking)
  const hasAccess = operations.some(({ at }) => member(at, 'x-access'))
  const reasons = reasonsOf(loaded, file, beside)
  for (const operation of operations) {
    checkPathParameters(operation, checking)
    checkTwice(operation, checking)
    checkRaises(operation.at, reasons, checking)
    if (hasAccess && !member(operation.at, 'x-access'))
      diagnostics.add(messages.accessMissing(), positionOf(operation.at))
  }
}

function checkTemplates(document: Located, operations: readonly FoundOperation[], { diagnostics }: Checking): void {
  const methodsOf = Map.groupBy(operations, ({ path }) => path)
  const byShape = new Map<string, string[]>()
  for (const [path, at] of members(member(document, 'paths'))) {
    if (path.startsWith('x-')) continue
    const fault = templateFault(path)
    if (fault) diagnostics.add(fault, positionOf(at))
    const alike = entryOf(byShape, shapeOf(path))
    const methods = methodsOf.get(path) ?? []
    const isTwice = (other: string): boolean =>
      (methodsOf.get(other) ?? []).some(({ method }) => methods.some(mine => mine.method === method))
    const [first] = alike
    const twice = alike.find(isTwice)
    if (twice !== undefined) diagnostics.add(messages.pathTwice(path, twice), positionOf(at))
    else if (first !== undefined) diagnostics.add(messages.pathNames(path, first), positionOf(at))
    alike.push(path)
  }
}

/** Returns a path without the names of its parameters, in the form in which it is sent. */
const shapeOf = (path: string): string =>
  path
    .split(/\{[^{}]*\}/)
    .map(text => encodedLiteral(text).replace(/%[\da-f]{2}/gi, code => code.toUpperCase()))
    .join('{}')

function entryOf(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

function templateFault(path: string): Message | undefined {
  if (!path.startsWith('/')) return messages.pathWithoutSlash(path)
  const parts = templateParts(path)
  if (!parts) return messages.pathBraces(path)
  const names = parts.filter((_, i) => i % 2 === 1)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) return messages.pathNameTwice(twice)
  return parts.some((part, i) => i > 0 && i % 2 === 0 && part === '') ? messages.pathAdjacent(path) : undefined
}

function checkIds(operations: readonly FoundOperation[], { diagnostics }: Checking): void {
  const first = new Map<string, FoundOperation>()
  for (const operation of operations) {
    const id = text(operation.at, 'operationId')
    if (id === undefined) continue
    const other = first.get(id)
    if (!other) {
      first.set(id, operation)
      continue
    }
    const { file, pointer } = operation.at
    diagnostics.add(
      messages.operationIdTwice(id, nameOf(operation), nameOf(other)),
      file.positionOf(`${pointer}/operationId`),
    )
    const at = other.at.file.positionOf(`${other.at.pointer}/operationId`)
    diagnostics.add(messages.operationIdTwice(id, nameOf(other), nameOf(operation)), at)
  }
}

const nameOf = ({ method, path }: FoundOperation): string => `${method.toUpperCase()} ${path}`

/**
 * Reports a base path in `servers` as a note: generated routes use the paths of the document, and the host adds a base
 * path.
 */
function checkServers(document: Located, { diagnostics }: Checking): void {
  for (const server of elements(member(document, 'servers'))) {
    const url = text(server, 'url') ?? '/'
    if (hasPath(url)) diagnostics.add(messages.serverPathUnused(url), positionOf(server))
  }
}

const hasPath = (url: string): boolean => {
  const path = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/]*)?(.*)$/i.exec(url)?.[1] ?? ''
  return path.replace(/\/$/, '') !== ''
}

/** Reports each server below the document that clients cannot call, and its base path, as `checkServers` does. */
function checkServersBelow(operations: readonly FoundOperation[], { diagnostics }: Checking): void {
  const servers = operations.flatMap(operation => serverBelow(operation) ?? [])
  for (const at of new Map(servers.map(server => [server.value, server])).values()) {
    const server = readServer(at)
    const url = text(at, 'url') ?? ''
    if (typeof server === 'string') diagnostics.add(messages.serverUnusable(url, server), positionOf(at))
    else if (hasPath(server.url)) diagnostics.add(messages.serverPathBelow(url), positionOf(at))
  }
}

/** Reports a dialect of schemas other than the default, and a document of 3.1 that describes nothing. */
function checkDialect(document: Located, { diagnostics }: Checking): void {
  if (!isNewer(document)) return
  const dialect = text(document, 'jsonSchemaDialect')
  if (dialect !== undefined && !isDefaultDialect(dialect))
    diagnostics.add(messages.dialectUnknown(dialect), document.file.positionOf('/jsonSchemaDialect'))
  if (!['paths', 'components', 'webhooks'].some(name => member(document, name)))
    diagnostics.add(messages.missingMember('paths', 'document'), positionOf(document))
}

function checkSecurity(document: Located, operations: readonly FoundOperation[], { diagnostics }: Checking): void {
  if (operations.some(({ at }) => member(at, 'x-access'))) return
  const first = [document, ...operations.map(({ at }) => at)].map(at => member(at, 'security')).find(Boolean)
  if (first) diagnostics.add(messages.securityNotEnforced(), positionOf(first))
}

/** Reports once that the declared content of error responses has no types. Documents with reasons have typed errors. */
function checkFailures(document: Located, operations: readonly FoundOperation[], checking: Checking): void {
  if (errorReasonsOf(document)) return
  const failures = operations.flatMap(({ at }) =>
    members(member(at, 'responses'))
      .filter(([status]) => /^[45]/.test(status))
      .map(([, response]) => response),
  )
  const first = failures.find(each => {
    const response = follow(checking.loaded, each)
    return response && members(member(response, 'content')).length > 0
  })
  if (first) checking.diagnostics.add(messages.failureUntyped(), positionOf(first))
}

function checkPathParameters(operation: FoundOperation, { loaded, diagnostics }: Checking): void {
  const parts = templateParts(operation.path)
  if (!parts) return
  const missing = new Set(parts.filter((_, i) => i % 2 === 1))
  for (const parameter of parametersOf(loaded, operation)) {
    if (text(parameter, 'in') !== 'path') continue
    const name = text(parameter, 'name') ?? ''
    if (!missing.delete(name))
      diagnostics.add(messages.pathParameterUnknown(name, operation.path), positionOf(parameter))
  }
  for (const name of missing) {
    diagnostics.add(messages.pathParameterUndeclared(name, operation.path), positionOf(operation.at))
  }
}

/**
 * Reports a parameter that occurs twice in one list; equal declarations are a warning. An operation may still override a
 * parameter of its path item.
 */
function checkTwice({ item, at }: FoundOperation, { loaded, diagnostics }: Checking): void {
  for (const owner of [...item, at]) {
    const seen = new Map<string, unknown>()
    for (const element of elements(member(owner, 'parameters'))) {
      const parameter = follow(loaded, element)
      if (!parameter || own(parameter.value, 'name') === undefined) continue
      const key = parameterKey(parameter)
      const isEqual = isDeepStrictEqual(seen.get(key), parameter.value)
      if (seen.has(key))
        diagnostics.add(isEqual ? messages.parameterRepeated(key) : messages.parameterTwice(key), positionOf(element))
      seen.set(key, parameter.value)
    }
  }
}
