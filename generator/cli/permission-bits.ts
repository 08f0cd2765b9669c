import { existsSync, readFileSync } from 'node:fs'
import { quoted } from '../write/quoted.ts'
import { replaceFile } from '../write/replace-file.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads a file of permission bits: a permission key on each line, in the order of the bits. Returns an empty list if
 * there is no file yet. Throws `UsageError` if a key is invalid or occurs twice.
 */
export function readBits(file: string): readonly string[] {
  if (!existsSync(file)) return []
  const keys = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter(line => line !== '')
  const wrong = keys.find((key, index) => !/^[\w.-]+$/.test(key) || keys.indexOf(key) !== index)
  if (wrong === undefined) return keys
  throw new UsageError(
    `${quoted(file)} holds ${quoted(wrong)} twice, or it is no permission key: undo the manual change`,
  )
}

/** Returns the text of a file of permission bits, with a permission key on each line. */
export const printBits = (bits: readonly string[]): string => bits.map(key => `${key}\n`).join('')

/** Writes the grown list of permission bits to its file. */
export function writeBits(file: string, bits: readonly string[]): void {
  replaceFile(file, printBits(bits))
}
