import type { Document, ErrorReason, Operation } from '../../generator/model/types.ts'
import { isRecord } from '../../runtime/validation.ts'
import { bundle } from '../specs/bundle.ts'
import { readDocuments, specFile } from '../specs/documents.ts'
import { accessText, permissionTable } from './access.ts'
import { reasonTable } from './errors.ts'
import { paragraphs } from './markdown.ts'

type Documents = ReadonlyMap<string, Document>

/** Returns an area's document for people: its descriptions include the errors and access of its extensions. */
export async function referenceDocument(area: string): Promise<object> {
  const documents = await readDocuments(['common', area])
  const document = documents.get(area)
  if (!document) throw new Error(`specs/${area}.yaml holds no document`)
  const others = await readDocuments([...othersRaised(document)])
  return described(bundle(specFile(area)), document, new Map([...documents, ...others]))
}

/** Returns the names of the other areas whose reasons the document names. */
function othersRaised({ operations }: Document): ReadonlySet<string> {
  const raised = operations.flatMap(({ raises = [] }) => raises)
  return new Set(raised.filter(name => name.includes('.')).map(name => name.slice(0, name.indexOf('.'))))
}

/** Returns a bundled document whose descriptions also have the access, errors and permissions of the model. */
export function described(bundled: object, document: Document, documents: Documents): object {
  const { info, paths } = isRecord(bundled) ? bundled : {}
  const items = entriesOf(paths).map(([path, item]) => [path, describedItem(item, document, documents)])
  return {
    ...bundled,
    info: { ...(isRecord(info) && info), description: infoText(document, documents) },
    paths: Object.fromEntries(items),
  }
}

function describedItem(item: unknown, document: Document, documents: Documents): object {
  const members = entriesOf(item).map(([method, member]) => {
    const id = isRecord(member) ? member['operationId'] : undefined
    const operation = document.operations.find(candidate => candidate.id === id)
    if (!operation || !isRecord(member)) return [method, member]
    return [method, { ...member, description: operationText(operation, document, documents) }]
  })
  return Object.fromEntries(members)
}

function operationText(operation: Operation, document: Document, documents: Documents): string {
  const { access, description = '', raises = [] } = operation
  const reasons = raises.flatMap(name => reasonOf(name, document, documents))
  const table = reasonTable(reasons, document.domain.base)
  const errors =
    table === ''
      ? '**Errors:** [those of every call](#section/Errors).'
      : '**Errors** beside [those of every call](#section/Errors):'
  return paragraphs(description, accessText(access), errors, table)
}

/**
 * Returns the reason that a name in `x-raises` stands for: a reason of the document, a common reason, or
 * `<area>.REASON`. The list is empty for an unknown name.
 */
function reasonOf(name: string, { errors }: Document, documents: Documents): readonly ErrorReason[] {
  const dot = name.indexOf('.')
  const common = documents.get('common')?.errors ?? []
  const candidates = dot === -1 ? [...errors, ...common] : (documents.get(name.slice(0, dot))?.errors ?? [])
  const found = candidates.find(({ reason }) => reason === name.slice(dot + 1))
  return found ? [{ ...found, reason: name }] : []
}

function infoText({ description = '', domain, errors, permissions }: Document, documents: Documents): string {
  const common = reasonTable(documents.get('common')?.errors ?? [], domain.base)
  const own = reasonTable(errors, domain.base)
  const catalogue = permissionTable(permissions)
  return paragraphs(
    description,
    '# Errors',
    'What is no success is answered as `google.rpc.Status`. Its `ErrorInfo` tells the reason, the domain, and metadata, among them the number as `code`.',
    ...section('## Of every call', common),
    ...section('## Of this area', own),
    ...section('# Permissions', catalogue),
  )
}

const section = (heading: string, table: string): readonly string[] => (table === '' ? [] : [heading, table])

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : [])
