import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyObject } from 'node:crypto'
import type { SignScheme } from '../../../../../domain/vault/keys/schemes.ts'

/** True if the command `openssl` of version 3 or later is on this machine. */
export const openssl = hasOpenssl()

if (!openssl) console.warn('openssl is not on the PATH: its judgement of signatures is skipped')

function hasOpenssl(): boolean {
  try {
    return /^OpenSSL [3-9]/.test(execFileSync('openssl', ['version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
}

/** Returns whether the command accepts the signature of the data. */
export function opensslVerifies(scheme: SignScheme, key: KeyObject, data: Buffer, signature: Buffer): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-openssl-'))
  try {
    const write = (name: string, content: string | Buffer): string => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    }
    const files = {
      key: write('key.pem', key.export({ format: 'pem', type: 'spki' })),
      data: write('data', data),
      signature: write('signature', signature),
    }
    return verified(run(scheme, files))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(
  scheme: SignScheme,
  { data, key, signature }: { readonly data: string; readonly key: string; readonly signature: string },
): SpawnSyncReturns<string> {
  if (scheme.kind === 'ed25519') {
    const args = ['pkeyutl', '-verify', '-pubin', '-inkey', key, '-rawin', '-in', data, '-sigfile', signature]
    return spawnSync('openssl', args, { encoding: 'utf8' })
  }
  const padding = scheme.kind === 'rsa-pss' ? ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'] : []
  const args = ['dgst', `-${scheme.hash}`, '-verify', key, ...padding, '-signature', signature, data]
  return spawnSync('openssl', args, { encoding: 'utf8' })
}

/** Reads the verdict of the command. Throws if the command failed for another reason than the signature. */
function verified({ status, stderr, stdout }: SpawnSyncReturns<string>): boolean {
  if (status === 0 && /Verified OK|Signature Verified Successfully/.test(stdout)) return true
  if (/Verification failure|Signature Verification Failure/i.test(`${stdout}${stderr}`)) return false
  throw new Error(`openssl ended with status ${status}: ${stdout}${stderr}`)
}
