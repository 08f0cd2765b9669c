import type { EmitOptions } from '../options.ts'
import { quote } from './layout/typescript.ts'
import { render } from './templates/render.ts'
import type { Outline } from '../document-outline.ts'

/** The path of the file of permission bits in the output root. */
export const permissionBitsFile = 'permission-bits.ts'

/**
 * Returns the keys in the order of their bits: `kept`, then the sorted new keys, so that no bit changes its meaning.
 */
export function permissionBits(outlines: readonly Outline[], kept: readonly string[]): readonly string[] {
  const keys = outlines.flatMap(({ permissions }) => permissions)
  const known = new Set(kept)
  return [...kept, ...[...new Set(keys)].filter(key => !known.has(key)).sort()]
}

/** Returns the code of permission-bits.ts: all current and former keys, each at the index of its bit. */
export const emitPermissionBits = (bits: readonly string[], documents: number, { templates }: EmitOptions): string =>
  render('permission-bits', { documents, keys: bits.map(quote) }, templates)
