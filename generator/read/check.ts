import type { DiagnosticList } from '../diagnostics.ts'
import { checkAccess, checkError, checkFilterField, checkPermission } from './check-extensions.ts'
import { checkEntry } from './check-entry.ts'
import type { Checking } from './checking.ts'
import { checkOperation, checkParameter } from './check-operation.ts'
import { checkSchema } from './check-schema.ts'
import type { Kind } from './kinds.ts'
import type { Loaded, Located } from './types.ts'
import { walk } from './walk.ts'
import type { Outline } from '../document-outline.ts'

/** The checks of each kind in addition to the shape of its members, keyed by kind. */
const checks: Readonly<Partial<Record<Kind, (at: Located, checking: Checking) => void>>> = {
  operation: checkOperation,
  parameter: checkParameter,
  schema: checkSchema,
  access: checkAccess,
  permission: checkPermission,
  errorReason: checkError,
  filterField: checkFilterField,
}

/**
 * Checks the documents and adds all errors and warnings to `diagnostics` in one pass. `beside` holds the outlines of
 * the documents of the run that were not loaded.
 */
export function check(loaded: Loaded, diagnostics: DiagnosticList, beside: readonly Outline[] = []): void {
  const checking = { loaded, diagnostics, beside }
  for (const { kind, at } of walk(loaded, diagnostics)) checks[kind]?.(at, checking)
  for (const entry of loaded.entries) checkEntry(entry, checking)
}
