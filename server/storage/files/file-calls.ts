import { lstat, mkdir, open, opendir, rename, rm, rmdir, type FileHandle } from 'node:fs/promises'
import type { Dirent, Stats } from 'node:fs'

/** The calls of the host on content files. Tests pass calls that fail, or that record their order. */
export interface FileCalls {
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>
  open(path: string, flags: string | number, mode?: number): Promise<FileHandle>
  opendir(path: string): Promise<AsyncIterable<Dirent>>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { readonly force: boolean }): Promise<void>
  rmdir(path: string): Promise<void>
  lstat(path: string): Promise<Pick<Stats, 'isFile' | 'mtimeMs' | 'size'>>
}

/** The calls of this host. */
export const hostCalls: FileCalls = { lstat, mkdir, open, opendir, rename, rm, rmdir }
