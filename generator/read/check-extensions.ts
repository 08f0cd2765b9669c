import { messages } from '../diagnostics.ts'
import type { Checking } from './checking.ts'
import { elements, member, members, numeric, positionOf, text, whole } from './located.ts'
import { reasonsOfDocument } from './reasons.ts'
import { nearest } from './suggest.ts'
import type { Loaded, Located, SourceFile } from './types.ts'
import type { Outline } from '../document-outline.ts'

/** The permitted values of `kind`, `class` and `scope` in `x-access` (conventions §22). */
const accessKinds: readonly string[] = ['permission', 'public', 'own', 'authenticated']
const accessClasses: readonly string[] = ['READ', 'WRITE', 'ADMIN', 'DATA']
const accessScopes: readonly string[] = ['platform', 'path', 'row', 'parent', 'body', 'filtered']
/** The scopes that need `scope_types`, because the scope alone does not determine the possible types. */
const openScopes: readonly string[] = ['row', 'body', 'filtered']
const scopeTypes: readonly string[] = ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE']

const rpcs: readonly string[] = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
]

const filterTypes: readonly string[] = [
  'STRING',
  'INTEGER',
  'BOOLEAN',
  'ENUM',
  'TIMESTAMP',
  'MAP',
  'PRESENCE',
  'NUMBER',
  'DURATION',
]
const comparators: readonly string[] = ['=', '!=', '<', '<=', '>', '>=', ':']

/** Reports a text member whose value is not allowed. An absent member passes. */
function checkChoice(at: Located, name: string, allowed: readonly string[], { diagnostics }: Checking): void {
  const value = text(at, name)
  if (value === undefined || allowed.includes(value)) return
  diagnostics.add(messages.notOneOf(name, value, allowed), at.file.positionOf(`${at.pointer}/${name}`))
}

function checkChoices(at: Located, name: string, allowed: readonly string[], { diagnostics }: Checking): void {
  for (const element of elements(member(at, name))) {
    const { value } = element
    if (typeof value === 'string' && !allowed.includes(value)) {
      diagnostics.add(messages.notOneOf(name, value, allowed), positionOf(element))
    }
  }
}

/** Checks the `x-access` of an operation. */
export function checkAccess(at: Located, checking: Checking): void {
  checkChoice(at, 'kind', accessKinds, checking)
  if (text(at, 'kind') !== 'permission') return
  checkChoice(at, 'class', accessClasses, checking)
  checkChoice(at, 'scope', accessScopes, checking)
  checkChoices(at, 'scope_types', scopeTypes, checking)
  const needed = ['key', 'class', 'scope', ...(openScopes.includes(text(at, 'scope') ?? '') ? ['scope_types'] : [])]
  for (const name of needed) {
    if (!member(at, name)) checking.diagnostics.add(messages.missingMember(name, 'permission'), positionOf(at))
  }
}

/** Checks the class and the scope types of an element of `x-permissions`. */
export function checkPermission(at: Located, checking: Checking): void {
  checkChoice(at, 'class', accessClasses, checking)
  checkChoices(at, 'scope_types', scopeTypes, checking)
}

/** Checks a reason of `x-errors`; its name is the last part of its pointer. */
export function checkError(at: Located, checking: Checking): void {
  const reason = at.pointer.slice(at.pointer.lastIndexOf('/') + 1)
  if (!/^[A-Z][A-Z0-9_]{0,79}$/.test(reason)) checking.diagnostics.add(messages.reasonName(reason), positionOf(at))
  checkChoice(at, 'rpc', rpcs, checking)
  for (const [name, words] of members(member(at, 'metadata'))) {
    if (typeof words.value !== 'string') checking.diagnostics.add(messages.wrongType(name, 'text'), positionOf(words))
  }
}

/** Checks the type and the operators of a field of `x-filter`. */
export function checkFilterField(at: Located, checking: Checking): void {
  const type = text(at, 'type')?.replace(/\[\]$/, '')
  if (type !== undefined && !filterTypes.includes(type)) {
    checking.diagnostics.add(messages.notOneOf('type', type, filterTypes), positionOf(at))
  }
  checkChoices(at, 'operators', comparators, checking)
}

/**
 * Returns the reasons that an operation of a document may raise: the reasons of the document, the common reasons, and
 * the qualified reasons of other areas.
 */
export function reasonsOf(loaded: Loaded, file: SourceFile, beside: readonly Outline[]): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (document: string, reason: string, isKnownHere: boolean): void => {
    names.add(`${document}.${reason}`)
    if (isKnownHere) names.add(reason)
  }
  for (const entry of loaded.entries) {
    for (const [reason, at] of reasonsOfDocument(whole(entry.file))) {
      add(entry.name, reason, entry.file === file || (numeric(at, 'code') ?? 0) < commonCodes)
    }
  }
  for (const { name, reasons } of beside) for (const [reason, code] of reasons) add(name, reason, code < commonCodes)
  return names
}

/**
 * The first code that belongs to a single document. Reasons with a lower code are common to all documents (conventions
 * §7).
 */
const commonCodes = 1000

/** Checks that `x-raises` names known reasons. A qualified reason of a document outside of the run passes unchecked. */
export function checkRaises(operation: Located, reasons: ReadonlySet<string>, checking: Checking): void {
  const { beside, loaded, diagnostics } = checking
  const areas = new Set([...loaded.entries, ...beside].map(({ name }) => name))
  for (const element of elements(member(operation, 'x-raises'))) {
    const reason = element.value
    if (typeof reason !== 'string' || reasons.has(reason)) continue
    const dot = reason.indexOf('.')
    if (dot > 0 && !areas.has(reason.slice(0, dot))) continue
    diagnostics.add(messages.reasonUnknown(reason, nearest(reason, [...reasons])), positionOf(element))
  }
}
