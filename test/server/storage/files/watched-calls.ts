import type { FileHandle } from 'node:fs/promises'
import { hostCalls, type FileCalls } from '../../../../server/storage/files/file-calls.ts'

/** Receives each call on content files before the call: its name, and the path of its file. May throw instead. */
export type BeforeCall = (call: string, path: string) => void

/** Returns the calls of this host, with calls of open files such as `writev`, `read`, `sync` and `close`. */
export const watchedCalls = (before: BeforeCall): FileCalls => ({
  async mkdir(path, options) {
    before('mkdir', path)
    return hostCalls.mkdir(path, options)
  },
  async open(path, flags, mode) {
    before('open', path)
    return watchedHandle(await hostCalls.open(path, flags, mode), path, before)
  },
  async opendir(path) {
    before('opendir', path)
    return hostCalls.opendir(path)
  },
  async rename(from, to) {
    before('rename', to)
    return hostCalls.rename(from, to)
  },
  async rm(path, options) {
    before('rm', path)
    return hostCalls.rm(path, options)
  },
  rmdir: path => hostCalls.rmdir(path),
  lstat: path => hostCalls.lstat(path),
})

const watchedHandle = (handle: FileHandle, path: string, before: BeforeCall): FileHandle =>
  new Proxy(handle, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name, of)
      if (typeof member !== 'function') return member
      return async (...given: readonly unknown[]): Promise<unknown> => {
        try {
          before(String(name), path)
        } catch (error) {
          // A close that fails still gives the descriptor back.
          if (name === 'close') await of.close()
          throw error
        }
        return Reflect.apply(member, of, given)
      }
    },
  })

/** Returns the error of a host with a code. */
export const hostError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code })
