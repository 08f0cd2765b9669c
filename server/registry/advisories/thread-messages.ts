import type { ImportPlace, ImportResult } from './import-folder.ts'

/** The work of the thread that keeps the file of advisories equal to the folder. */
export interface ImportWork extends ImportPlace {
  /** The time between the end of a look at the folder and the next look, in milliseconds. */
  readonly everyMs: number
}

/** What the thread has done. */
export type FromImport =
  | ({ readonly kind: 'imported'; readonly seconds: number } & ImportResult)
  /** The folder could not be read, or the file not be written. */
  | { readonly kind: 'failed'; readonly message: string }
  /** A look has ended: the file is equal to the folder. */
  | { readonly kind: 'equal' }
