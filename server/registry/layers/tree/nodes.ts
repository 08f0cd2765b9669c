import type { SourceKind } from '../../../../domain/registry/scanning/sources/source-files.ts'
import type { Reading } from '../../../../domain/registry/scanning/sources/source-package.ts'
import type { OperatingSystem } from '../../../../domain/registry/scanning/sources/os-release.ts'

/** The kinds of content that is read: files by their paths, and programs by their first bytes. */
export type ContentKind = SourceKind | 'program'

/** What was read of a file. */
export type FileReading =
  | { readonly kind: 'os-release'; readonly os: OperatingSystem | undefined }
  | { readonly kind: Exclude<ContentKind, 'os-release'>; readonly sources: readonly PartReading[] }

/** The reading of a file, or of a part of it, such as a jar in a jar. */
export interface PartReading {
  /** The path of the part in the file; empty for the file itself. */
  readonly part: string
  readonly reading: Reading
}

/** The content of a file; hard links share it. */
export interface TreeFile {
  /** The layer whose entry this is, and the number of the entry in it. */
  readonly layer: number
  readonly entry: number
  readonly size: number
  readonly isExecutable: boolean
  readonly isSparse: boolean
  reading?: FileReading
}

export interface TreeFolder {
  readonly kind: 'folder'
  readonly children: Map<string, TreeNode>
  /** The last layer that has an entry in this folder, or below it. */
  layer: number
  /** The last layer that hid the content of the layers below it in this folder. */
  hiddenIn: number
}

export interface TreeLink {
  readonly kind: 'link'
  readonly layer: number
  /** The bytes of the target as Latin 1. */
  readonly target: string
}

/** A device or a pipe. */
export interface TreeOther {
  readonly kind: 'other'
  readonly layer: number
}

/** A name of a file in a folder: another layer may give a file of a layer below a further name. */
export interface TreeName {
  readonly kind: 'name'
  readonly layer: number
  readonly file: TreeFile
}

export type TreeNode = TreeFolder | TreeLink | TreeName | TreeOther

export const newFolder = (layer: number): TreeFolder => ({ kind: 'folder', children: new Map(), layer, hiddenIn: -1 })
