import { nothing, readingOf, unreadable, type Reading } from './source-package.ts'

/** Reads the `package.json` of an installed package. A file without a name or a version describes no package. */
export function readNpm(text: string): Reading {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return unreadable('package.json that is not JSON')
  }
  if (typeof value !== 'object' || value === null) return nothing
  const { name, version } = value as { readonly name?: unknown; readonly version?: unknown }
  if (typeof name !== 'string' || typeof version !== 'string') return nothing
  return readingOf([{ kind: 'npm', name, version }], 'package.json')
}
