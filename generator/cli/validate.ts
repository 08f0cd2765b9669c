import SwaggerParser from '@apidevtools/swagger-parser'
import type { Diagnostic } from '../diagnostics.ts'

/**
 * Runs swagger-parser's own validation of each document, in addition to the generator's checks. The validation reads
 * nothing from a network. Returns an error at the start of the file for each invalid document.
 */
export async function validate(files: readonly string[]): Promise<Diagnostic[]> {
  const found: Diagnostic[] = []
  for (const file of files) {
    try {
      await SwaggerParser.validate(file, { resolve: { http: false } })
    } catch (error) {
      const lines = error instanceof Error ? error.message.split('\n') : [String(error)]
      const message = lines.map(line => line.trim()).join(' ')
      found.push({ severity: 'error', code: 'invalid-document', message, position: { file, line: 1, column: 1 } })
    }
  }
  return found
}
