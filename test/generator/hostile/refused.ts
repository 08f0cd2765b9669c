import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Generation, generation, newFolder, removeFolder } from '../generation.ts'

/** The beginning of a YAML document whose rest does not matter. */
export const head = 'openapi: 3.0.3\ninfo: {title: a, version: "1"}\npaths: {}\n'

/** Writes files to a new folder and generates from the first file; returns the result. */
export async function generatedFrom(files: Readonly<Record<string, string>>): Promise<Generation> {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const [entry = ''] = Object.keys(files)
  return generation([entry], folder)
}

/**
 * Checks that no file is written, that the expected errors are printed, and that each error names its place in one
 * short line.
 */
export function expectRefused({ files, printed }: Generation, ...errors: readonly RegExp[]): void {
  expect(files.size).toBe(0)
  for (const error of errors) expect(printed).toContainEqual(expect.stringMatching(error))
  for (const line of printed) expect(line).toMatch(/^[\w./-]+:\d+:\d+ (?:error|warning|note) [a-z0-9-]+: [^\n]{5,400}$/)
}
