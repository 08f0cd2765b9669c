import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../programs.ts'
import { hasPrograms } from '../../registry/clients/oci-programs.ts'

/** An account of an S3 store at an address. */
export interface StoreAccount {
  readonly url: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

/** A program that reads and writes an S3 store by itself, without the platform. */
export interface StoreClient {
  /** Writes a content, in parts of 5 MiB if it is larger. */
  write(bucket: string, object: string, content: Uint8Array): Promise<void>
  read(bucket: string, object: string): Promise<Buffer>
  /** Returns the names of all objects of a bucket, in the order of their bytes. */
  names(bucket: string): Promise<readonly string[]>
}

/** The programs, by their names; those that are not installed are left out. */
export const storeClients = Object.entries({ rclone, s3cmd }).filter(([name]) => hasPrograms('the engine s3', name))

/** Runs a program in a home of its own, without the variables of the machine's user; returns its output. */
async function accepted(home: string, program: string, ...args: readonly string[]): Promise<Buffer> {
  const { PATH = '' } = process.env
  const own = [`PATH=${PATH}`, `HOME=${home}`, 'LANG=C.UTF-8']
  const { errors, output, status } = await run('env', ['-i', ...own, program, ...args])
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${errors}`)
  return output
}

const inOrder = (names: readonly string[]): readonly string[] =>
  names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

/** Returns rclone for an account; `folder` is for its files. */
function rclone(account: StoreAccount, folder: string): StoreClient {
  const settings = join(folder, 'rclone.conf')
  const { access_key_id, secret_access_key, url } = account
  const lines = ['[store]', 'type = s3', 'provider = Other', `endpoint = ${url}`, 'region = us-east-1']
  const secrets = [`access_key_id = ${access_key_id}`, `secret_access_key = ${secret_access_key}`]
  writeFileSync(settings, [...lines, ...secrets, 'force_path_style = true', 'no_check_bucket = true', ''].join('\n'), {
    mode: 0o600,
  })
  const call = (...args: readonly string[]): Promise<Buffer> =>
    accepted(folder, 'rclone', '--config', settings, '--s3-upload-cutoff', '5M', '--s3-chunk-size', '5M', ...args)
  return {
    async write(bucket, object, content) {
      const file = join(folder, 'written')
      writeFileSync(file, content)
      await call('copyto', '--ignore-times', file, `store:${bucket}/${object}`)
    },
    read: (bucket, object) => call('cat', `store:${bucket}/${object}`),
    async names(bucket) {
      const found: readonly { readonly Path: string }[] = JSON.parse(
        String(await call('lsjson', '-R', '--files-only', `store:${bucket}`)),
      )
      return inOrder(found.map(({ Path }) => Path))
    },
  }
}

/** Returns s3cmd for an account; `folder` is for its files. */
function s3cmd(account: StoreAccount, folder: string): StoreClient {
  const settings = join(folder, 's3cfg')
  const { access_key_id, secret_access_key, url } = account
  const { host } = new URL(url)
  const keys = [`access_key = ${access_key_id}`, `secret_key = ${secret_access_key}`]
  const place = [`host_base = ${host}`, `host_bucket = ${host}`, 'use_https = False', 'bucket_location = us-east-1']
  writeFileSync(settings, ['[default]', ...keys, ...place, ''].join('\n'), { mode: 0o600 })
  const call = (...args: readonly string[]): Promise<Buffer> =>
    accepted(folder, 's3cmd', '--config', settings, '--no-progress', '--multipart-chunk-size-mb=5', ...args)
  return {
    async write(bucket, object, content) {
      const file = join(folder, 'sent')
      writeFileSync(file, content)
      await call('put', file, `s3://${bucket}/${object}`)
    },
    async read(bucket, object) {
      const file = join(folder, 'got')
      await call('get', '--force', `s3://${bucket}/${object}`, file)
      return readFileSync(file)
    },
    async names(bucket) {
      const text = String(await call('ls', '--recursive', `s3://${bucket}`))
      const start = `s3://${bucket}/`
      const lines = text.split('\n').filter(line => line.includes(start))
      return inOrder(lines.map(line => line.slice(line.indexOf(start) + start.length)))
    },
  }
}
