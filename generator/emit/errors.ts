import { isReservedWord } from '../identifier.ts'
import type { Document, ErrorReason } from '../model/types.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { type Doc, group, ifBroken, indent, join, line, print, softline } from './layout/doc.ts'
import { key, object, objectType, quote } from './layout/typescript.ts'
import { word } from './names.ts'
import { render } from './templates.ts'

/**
 * errors.ts: the union of reasons and a constructor for each. A document without operations is a library of others:
 * its reasons belong to no domain, the called operation's is told instead.
 */
export function emitErrors(emission: Emission): OutputFile | undefined {
  const { document } = emission
  const { errors, title } = document
  if (isLibrary(document) && errors.length === 0) return undefined
  const file = openFile(emission, 'errors')
  const names = constructorNames(document)
  const raised = errors.filter(({ rpc }) => rpc !== undefined)
  const view = {
    comment: docComment(`Where the errors of ${inSentence(title)} belong.`),
    domain: isLibrary(document) ? false : domainView(document, file),
    reasons:
      raised.length === 0
        ? ''
        : unionOf(
            `${pascal(document.name)}Reason`,
            raised.map(({ reason }) => quote(reason)),
          ),
    constructors: raised.map(reason => constructorView(reason, names, document, file)),
    records: errors.filter(({ rpc }) => rpc === undefined).map(reason => recordView(reason, names)),
  }
  file.write(render('errors', view))
  return file
}

const isLibrary = ({ operations }: Document): boolean => operations.length === 0

/** The constant that says where an area's errors belong. */
export const domainName = ({ name, operations }: Document): string =>
  isReservedWord(name) || operations.some(({ routeName }) => routeName === name) ? `${name}Domain` : name

function domainView(document: Document, file: OutputFile): object {
  const { name, base } = document.domain
  const rows = [`name: ${quote(name)}`]
  if (base !== undefined) rows.push(`base: ${base}`)
  return { name: domainName(document), type: file.runtime('ErrorDomain'), value: print(object(rows)) }
}

function unionOf(name: string, alternatives: readonly string[]): string {
  return print(group([`export type ${name} =`, indent([line, ifBroken('| '), join([line, '| '], alternatives)])]))
}

function constructorView(
  error: ErrorReason,
  names: ReadonlyMap<string, string>,
  document: Document,
  file: OutputFile,
): object {
  const { code, description, metadata, reason, rpc } = error
  const parameters: Doc[] = ['message: string']
  if (metadata.length > 0)
    parameters.push(['metadata: ', objectType(metadata.map(({ name }) => `${key(name)}: string`))])
  parameters.push(`details?: ${file.runtime('ErrorDetails')}`)
  const rows = [`reason: ${quote(reason)}`, `rpc: ${quote(rpc ?? '')}`, `code: ${code}`]
  if (!isLibrary(document)) rows.push(`domain: ${domainName(document)}`)
  const args: Doc[] = [object(rows), 'message', metadata.length > 0 ? 'metadata' : '{}', 'details']
  const list = group(['(', indent([softline, join([',', line], parameters)]), ifBroken(','), softline, ') =>'])
  const made = group([
    `new ${file.runtime('ApiError')}(`,
    indent([softline, join([',', line], args)]),
    ifBroken(','),
    softline,
    ')',
  ])
  return {
    comment: docComment(description),
    statement: print([`export const ${names.get(reason)} = `, list, group(indent([line, made]))]),
  }
}

/** Reasons that no call can fail with stand in operations: their numbers are data. */
function recordView({ code, description, reason }: ErrorReason, names: ReadonlyMap<string, string>): object {
  return {
    comment: docComment(description),
    statement: `export const ${names.get(reason)} = { reason: ${quote(reason)}, code: ${code} } as const`,
  }
}

/**
 * `QUOTA_NOT_FOUND` -> `quotaNotFound`; with `Error` behind where that is taken or a reserved word, and else as it is in
 * lower case, which no other reason is.
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
