import { isReservedWord } from '../identifier.ts'
import type { Document, ErrorReason } from '../model/types.ts'
import { detailsType, requiredDetails } from './error-details.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { key, quote } from './layout/typescript.ts'
import { word } from './names.ts'
import { render } from './templates/render.ts'
import type { ErrorConstructor, ErrorDomainView, ErrorRecord } from './views/errors.ts'

/**
 * Emits errors.ts: a constructor for each reason with which a call can fail, and a constant for each reason that only
 * operation records have. A document without operations is a library: its reasons have no domain of their own, and
 * errors name the domain of the called operation. Returns undefined for a library without reasons.
 */
export function emitErrors(emission: Emission): OutputFile | undefined {
  const { document } = emission
  const { errors, title } = document
  if (isLibrary(document) && errors.length === 0) return undefined
  const file = openFile(emission, 'errors')
  const names = constructorNames(document)
  const raised = errors.filter(({ rpc }) => rpc !== undefined)
  const view = {
    title: inSentence(title),
    domain: !isLibrary(document) && domainView(document, file),
    reasonType: `${pascal(document.name)}Reason`,
    reasonOf: raised.length === 0 ? '' : reasonMaker(names, document),
    constructors: raised.map(reason => constructorView(reason, names, file)),
    records: errors.filter(({ rpc }) => rpc === undefined).map(reason => recordView(reason, names)),
    ApiError: raised.length === 0 ? '' : file.runtime('ApiError'),
    ErrorDetails: raised.some(isOptional) ? file.runtime('ErrorDetails') : '',
    RpcCode: raised.length === 0 ? '' : file.runtime('RpcCode'),
  }
  file.write(render('errors', view, emission.options.templates))
  return file
}

/** Returns a name for the reason function that no constant of the file has. */
function reasonMaker(names: ReadonlyMap<string, string>, document: Document): string {
  const taken = new Set([domainName(document), ...names.values()])
  let name = 'reasonOf'
  while (taken.has(name)) name += '_'
  return name
}

/** Whether the constructor of a reason takes errors without details. */
const isOptional = (error: ErrorReason): boolean => requiredDetails(error).length === 0

const isLibrary = ({ operations }: Document): boolean => operations.length === 0

/** Returns the name of the constant with an area's error domain. */
export const domainName = ({ name, operations }: Document): string =>
  isReservedWord(name) || operations.some(({ routeName }) => routeName === name) ? `${name}Domain` : name

function domainView(document: Document, file: OutputFile): ErrorDomainView {
  const { name, base } = document.domain
  return {
    name: domainName(document),
    text: quote(name),
    base: base === undefined ? '' : String(base),
    ErrorDomain: file.runtime('ErrorDomain'),
  }
}

/**
 * Returns the members that the views of all reasons share. A reason that only occurs in operations needs no more,
 * because no call fails with the reason.
 */
function recordView({ code, description, reason }: ErrorReason, names: ReadonlyMap<string, string>): ErrorRecord {
  return {
    comment: docComment(description).trim(),
    name: names.get(reason) ?? '',
    reason: quote(reason),
    code: String(code),
  }
}

function constructorView(error: ErrorReason, names: ReadonlyMap<string, string>, file: OutputFile): ErrorConstructor {
  return {
    ...recordView(error, names),
    rpc: quote(error.rpc ?? ''),
    metadata: error.metadata.map(({ name }) => key(name)),
    details: detailsType(error, () => file.runtime('DetailsWith')),
  }
}

/**
 * Returns the name of the constructor or constant of each reason, keyed by reason: `QUOTA_NOT_FOUND` becomes
 * `quotaNotFound`. A taken or reserved name gets the suffix `Error`. If the name with the suffix is taken too, the
 * result is the reason in lower case with `_` at its end, which is unique.
 */
function constructorNames(document: Document): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set([domainName(document)])
  for (const { reason } of document.errors) {
    const plain = word(reason.toLowerCase().replaceAll('_', ' '))
    const wanted = [...(isReservedWord(plain) ? [] : [plain]), `${plain}Error`]
    const name = wanted.find(each => !taken.has(each)) ?? `${reason.toLowerCase()}_`
    names.set(reason, name)
    taken.add(name)
  }
  return names
}
