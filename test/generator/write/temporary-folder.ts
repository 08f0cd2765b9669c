import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { memoryFolder } from '../../memory-folder.ts'

/** A folder of its own for one test, gone afterwards. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(memoryFolder, 'ninefold-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Puts files below a folder, making what is missing on the way. */
export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
