import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRootKey, RootKeyFault } from '../../../server/vault/root-key-sources.ts'
import { testFolder } from '../store/harness.ts'

const key = Buffer.from('0123456789abcdef0123456789abcdef')
const made: string[] = []
const sources = (environment: Record<string, string | undefined> = {}) => ({
  environment,
  made: (path: string) => void made.push(path),
})

/** Writes a file of a key and returns its reference. */
function fileOf(content: string | Buffer, mode = 0o600, scheme = 'file'): string {
  const path = join(testFolder(), 'root.key')
  writeFileSync(path, content)
  chmodSync(path, mode)
  return `${scheme}://${path}`
}

const scriptOf = (lines: string): string => fileOf(`#!/bin/sh\n${lines}\n`, 0o700, 'exec')

describe('a root key', () => {
  it.each([
    ['raw bytes', key],
    ['raw bytes with a newline', Buffer.concat([key, Buffer.from('\n')])],
    ['base64', key.toString('base64')],
    ['base64 with a newline', `${key.toString('base64')}\n`],
  ])('is read from a file of %s', async (_, content) => {
    expect(await readRootKey(fileOf(content), sources(), false)).toEqual(key)
  })

  it('is read from a variable, which is deleted', async () => {
    const environment = { ROOT_KEY: key.toString('base64') }
    expect(await readRootKey('env://ROOT_KEY', sources(environment), false)).toEqual(key)
    expect(environment).toEqual({})
  })

  it('is read from the output of a program', async () => {
    expect(await readRootKey(scriptOf(`echo ${key.toString('base64')}`), sources(), false)).toEqual(key)
  })

  it('is made for development once, readable by its owner only', async () => {
    const path = join(testFolder(), 'vault-root.key')
    const first = await readRootKey(`dev://${path}`, sources(), true)
    expect(await readRootKey(`dev://${path}`, sources(), true)).toEqual(first)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8').trim()).toBe(first.toString('base64'))
    expect(made.filter(each => each === path)).toHaveLength(1)
  })

  it('for development is not made beside an existing vault', async () => {
    const reference = `dev://${join(testFolder(), 'vault-root.key')}`
    await expect(readRootKey(reference, sources(), false)).rejects.toThrow(/ENOENT.*restore it, or set vault.seal.curr/)
  })
})

describe('no root key', () => {
  it.each<readonly [string, () => string, RegExp]>([
    ['that is too short', () => fileOf('c2hvcnQ='), /must hold 32 bytes or their base64/],
    ['with loose base64', () => fileOf(key.toString('base64').replace('=', '')), /must hold 32 bytes/],
    ['with two newlines', () => fileOf(`${key.toString('base64')}\n\n`), /must hold 32 bytes/],
    ['of a long file', () => fileOf('x'.repeat(5000)), /must hold 32 bytes/],
    ['of a file that others may read', () => fileOf(key, 0o640), /chmod 600/],
    ['of an absent file', () => `file://${join(testFolder(), 'absent')}`, /cannot be read \(ENOENT\)/],
    [
      'of a program that fails',
      () => scriptOf('echo half; exit 3'),
      /did not print a root key: it ended with status 3/,
    ],
    ['of a program that prints too much', () => scriptOf('head -c 5000 /dev/zero'), /did not print a root key/],
    ['of an absent variable', () => 'env://ABSENT', /ABSENT with the root key is not set/],
  ])('is taken %s, and the error shows no key', async (_, reference, message) => {
    const error = await readRootKey(reference(), sources(), false).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RootKeyFault)
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toMatch(/half|c2hvcnQ|0123456789abcdef/)
  })

  it('is a folder', async () => {
    const path = join(testFolder(), 'folder')
    mkdirSync(path, 0o700)
    await expect(readRootKey(`file://${path}`, sources(), false)).rejects.toThrow('is not a file')
  })
})
