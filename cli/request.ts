import { didYouMean, quoted } from '../runtime/refusal.ts'
import type { ClientParameter } from '../runtime/route.ts'
import { setMember } from '../runtime/json.ts'
import { Faults, isRecord, own } from '../runtime/validation.ts'
import type { CallableOperation } from './catalogue.ts'
import { CommandError } from './exit-codes.ts'
import { fitBody, type BodyMember } from './fit-body.ts'
import { knownMembers } from './known-members.ts'
import type { Scalar, ParameterType } from '../runtime/parameters/types.ts'

/** The parts of a request on the command line: `key=value` words, and a body. */
export interface CommandInput {
  readonly words: readonly string[]
  /** The parsed JSON of `--body`; if absent, the words make the body. */
  readonly body?: unknown
}

/**
 * Matches the names of secrets. A secret is refused as a word, because every user of the machine can read a command
 * line, and shells store command lines in their history.
 */
const secretNames =
  /(?:^|_)(?:password|secret|assertion|private_key|passphrase|plaintext)$|^(?:token|refresh_token|access_token)$/

/** The paths of secrets whose last name says nothing: the payloads of secrets and capsules. */
const secretPaths: ReadonlySet<string> = new Set(['payload.data'])

/**
 * Returns the request of an operation. A word is a parameter if its key names a parameter, else a member of the body;
 * dots in the key lead into objects, and a repeated key makes a list. Throws `CommandError` for a malformed word, for
 * an unknown key, for a secret in a word, and with all faults that the check of the operation finds.
 */
export function requestOf(operation: CallableOperation, { words, body }: CommandInput): object {
  const { body: declared, parameters = [] } = operation.client
  const values = Map.groupBy(words.map(split), ([key]) => key)
  const request: Record<string, unknown> = {}
  const leaves: BodyMember[] = []
  for (const [key, pairs] of values) {
    const texts = pairs.map(([, text]) => text)
    const parameter = parameters.find(({ name, member }) => name === key || member === key)
    if (parameter) setMember(request, parameter.member ?? parameter.name, ofParameter(parameter, texts))
    else if (declared) leaves.push({ path: bodyPath(key), texts })
    else throw unknownKey(operation, key)
  }
  if (!declared && body !== undefined) throw new CommandError(`${operation.client.operationId} takes no --body`)
  const isNeeded = body !== undefined || leaves.length > 0 || declared?.required === true
  if (declared && isNeeded) request.body = fitBody(operation, request, body ?? {}, leaves)
  refuseFaults(operation, request)
  return request
}

function split(word: string): readonly [key: string, text: string] {
  const mark = word.indexOf('=')
  if (mark > 0) return [word.slice(0, mark), word.slice(mark + 1)]
  throw new CommandError(`${quoted(word)} must be key=value`)
}

function bodyPath(key: string): readonly string[] {
  const path = key.split('.')
  const last = path.at(-1) ?? ''
  if (path.includes('')) throw new CommandError(`${quoted(key)} must be names with dots between them`)
  if (!secretNames.test(last) && !secretPaths.has(key)) return path
  throw new CommandError(
    `${quoted(key)} is a secret, which must not stand on a command line: use --body -, or --body @file`,
  )
}

function ofParameter({ name, type }: ClientParameter, texts: readonly string[]): unknown {
  const [text = '', ...others] = texts
  if (typeof type === 'object' && 'array' in type) return texts.map(item => ofScalar(name, type.array, item))
  if (others.length > 0) throw new CommandError(`${quoted(name)} is given ${texts.length} times, and takes one value`)
  return type === 'json' || typeof type === 'object' ? ofJson(name, text) : ofScalar(name, type, text)
}

function ofScalar(name: string, type: Exclude<ParameterType & string, 'json'> | Scalar, text: string): unknown {
  if (type === 'string') return text
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new CommandError(`${name} must be true or false`)
  }
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  throw new CommandError(`${name} must be a number`)
}

function ofJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${name} must be JSON`)
  }
}

/** Throws one `CommandError` with all faults, and suggests a near name for each unknown field. */
function refuseFaults(operation: CallableOperation, request: Record<string, unknown>): void {
  const faults = new Faults()
  operation.check(request, faults)
  const ofAddress = addressFaults(operation, request)
  const others = faults.list.filter(({ field }) => !ofAddress.some(fault => fault.field === field))
  if (others.length + ofAddress.length === 0) return
  const texts = [...ofAddress, ...others].map(({ field, description }) => {
    const isUnknown = description === 'is not a known field'
    return `${field === '' ? 'the body' : field} ${description}${isUnknown ? nearestMember(operation, request, field) : ''}`
  })
  throw new CommandError(`${operation.client.operationId} cannot be called: ${texts.join('; ')}`)
}

/**
 * Returns a fault for each path parameter that is empty, `.` or `..`, because such a value would change the address.
 */
const addressFaults = ({ client }: CallableOperation, request: Record<string, unknown>) =>
  (client.parameters ?? []).flatMap(({ in: place, member, name }) => {
    const value = own(request, member ?? name)
    if (place !== 'path' || typeof value !== 'string' || !/^\.{0,2}$/.test(value)) return []
    const isEmpty = value === ''
    return [
      {
        field: name,
        description: isEmpty ? 'must not be empty: it is a part of the address' : `must not be ${quoted(value)}`,
      },
    ]
  })

function nearestMember(operation: CallableOperation, request: Record<string, unknown>, field: string): string {
  const path = field.split('.')
  const name = path.pop() ?? ''
  const body = own(request, 'body')
  return didYouMean(name, [
    ...knownMembers(operation, request, isRecord(body) ? body : {}, path),
    ...(path.length === 0 ? parameterNames(operation) : []),
  ])
}

function unknownKey(operation: CallableOperation, key: string): CommandError {
  const names = parameterNames(operation)
  const takes = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`
  const { operationId } = operation.client
  return new CommandError(`${operationId} has no parameter ${quoted(key)}${didYouMean(key, names)}: ${takes}`)
}

/** Returns the names of the parameters that are no headers: every mutation accepts the header `Idempotency-Key`. */
const parameterNames = ({ client }: CallableOperation): readonly string[] =>
  (client.parameters ?? []).filter(({ in: place }) => place !== 'header').map(({ name }) => name)
