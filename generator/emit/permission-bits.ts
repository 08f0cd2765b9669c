import type { EmitOptions } from '../options.ts'
import { quote } from './layout/typescript.ts'
import { render } from './templates.ts'
import type { Outline } from '../document-outline.ts'

/** Where the bits stand in the output root. */
export const permissionBitsFile = 'permission-bits.ts'

/** The keys that had bits before, and behind them those that are new, ordered by key: no bit changes its meaning. */
export function permissionBits(outlines: readonly Outline[], kept: readonly string[]): readonly string[] {
  const keys = outlines.flatMap(({ permissions }) => permissions)
  const known = new Set(kept)
  return [...kept, ...[...new Set(keys)].filter(key => !known.has(key)).sort()]
}

/** permission-bits.ts: every key that there is or was, at the place of its bit. */
export const emitPermissionBits = (bits: readonly string[], documents: number, { templates }: EmitOptions): string =>
  render('permission-bits', { documents, keys: bits.map(quote) }, templates)
