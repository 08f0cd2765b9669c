import { type DiagnosticList, messages } from '../diagnostics.ts'
import { elements, member, members, numeric, positionOf, text, texts } from '../read/located.ts'
import { errorReasonsOf, reasonsOfDocument } from '../read/reasons.ts'
import type { Located } from '../read/types.ts'
import { inOrder, scopeTypesOf } from './traits.ts'
import type { Document, ErrorReason, Operation, Permission } from './types.ts'

/** Returns the `x-errors` of a document, in the order of the document. Reports codes that occur twice. */
export function errorsOf(document: Located, diagnostics: DiagnosticList): readonly ErrorReason[] {
  const byCode = new Map<number, string>()
  return reasonsOfDocument(document).map(([reason, at]) => {
    const code = numeric(at, 'code') ?? 0
    const other = byCode.get(code)
    if (other !== undefined) diagnostics.add(messages.reasonCodeTwice(code, other), positionOf(at))
    byCode.set(code, reason)
    const metadata = members(member(at, 'metadata')).map(([name, words]) => ({
      name,
      description: String(words.value),
    }))
    return { reason, code, rpc: text(at, 'rpc'), description: text(at, 'description') ?? '', metadata }
  })
}

/**
 * The number of codes in the block of a document. A code has the form S_SSS_EEE (conventions §7). The codes that belong
 * to one document have the same S; codes below a thousand are common to all documents.
 */
const codesOfArea = 1_000_000
const commonCodes = 1000

/**
 * Returns the domain of a document's errors: its name, and the first code of its block; the code is undefined if all
 * codes are common. Reports codes outside the block.
 */
export function domainOf(
  name: string,
  document: Located,
  errors: readonly ErrorReason[],
  diagnostics: DiagnosticList,
): Document['domain'] {
  const first = errors.find(({ code }) => code >= commonCodes)
  if (!first) return { name, base: undefined }
  const base = Math.floor(first.code / codesOfArea) * codesOfArea
  const block = errorReasonsOf(document)
  for (const { reason, code } of errors) {
    const at = block && member(block, reason)
    if (at && (code < base || code >= base + codesOfArea))
      diagnostics.add(messages.reasonBase(code, base), positionOf(at))
  }
  return { name, base }
}

/**
 * Joins the permissions of `x-access` and `x-permissions`. Returns each key once, sorted by code unit. Reports a key
 * that is declared with different classes.
 */
export function permissionsOf(
  document: Located,
  operations: readonly Operation[],
  diagnostics: DiagnosticList,
): readonly Permission[] {
  const found = new Map<string, Permission>()
  for (const at of elements(member(document, 'x-permissions'))) {
    const key = text(at, 'key') ?? ''
    const declared = { key, class: text(at, 'class') ?? '', scopeTypes: inOrder(texts(at, 'scope_types')) }
    const description = text(at, 'description')
    const displayName = description?.replace(/(?:[.;:](?:\s|$))[^]*$/, '')
    found.set(key, { ...declared, displayName, description, stage: 'GA', operations: [] })
  }
  for (const { access, id, path, position, summary } of operations) {
    if (access?.kind !== 'permission' || access.key === undefined) continue
    const known = found.get(access.key)
    const own = access.class ?? ''
    if (known && known.class !== own) diagnostics.add(messages.permissionDiffers(access.key), position)
    found.set(access.key, {
      key: access.key,
      class: known?.class ?? own,
      scopeTypes: inOrder([...(known?.scopeTypes ?? []), ...scopeTypesOf(access, path)]),
      displayName: known ? known.displayName : summary,
      description: known?.description,
      stage: isAlpha(path) && known?.stage !== 'GA' ? 'ALPHA' : 'GA',
      operations: [...(known?.operations ?? []), id],
    })
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
}

/** Whether the version in a path is an alpha version. A path has the form `/<area>/<version>/...` (conventions §1). */
const isAlpha = (path: string): boolean => /^\/[^/]+\/(?:v\d+)?alpha\d*\//.test(path)
