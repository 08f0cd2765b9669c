import { existsSync, readFileSync } from 'node:fs'
import { quoted } from '../write/quoted.ts'
import { replaceFile } from '../write/replace-file.ts'
import { UsageError } from './usage-error.ts'

/** The keys of a file of permission bits in their order, one a line; none when there is no file yet. */
export function readBits(file: string): readonly string[] {
  if (!existsSync(file)) return []
  const keys = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter(line => line !== '')
  const wrong = keys.find((key, index) => !/^[\w.-]+$/.test(key) || keys.indexOf(key) !== index)
  if (wrong === undefined) return keys
  throw new UsageError(
    `${quoted(file)} holds ${quoted(wrong)} twice, or as no permission key: take back what was changed by hand`,
  )
}

/** The text of a file of permission bits. */
export const printBits = (bits: readonly string[]): string => bits.map(key => `${key}\n`).join('')

/** Writes a file of permission bits that has grown. */
export function writeBits(file: string, bits: readonly string[]): void {
  replaceFile(file, printBits(bits))
}
