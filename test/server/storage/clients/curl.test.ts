import { writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { objectNames } from '../../../domain/storage/plane/object-names.ts'
import { testFolder } from '../../store/harness.ts'
import { servedPlane, type ServedPlane } from '../plane/served-plane.ts'
import { hasProgram, run } from '../../programs.ts'

describe.skipIf(!hasProgram('curl'))('curl (install curl to run this)', () => {
  let plane: ServedPlane
  let folder: string
  let ends: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    const later = (end: () => void | Promise<void>): void => void ends.push(end)
    plane = await servedPlane(later)
    folder = testFolder(later)
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
    ends = []
  })

  const curl = async (...args: readonly string[]): Promise<string> => {
    const { errors, output } = await run('curl', ['--silent', '--show-error', '--globoff', '--max-time', '60', ...args])
    return `${output.toString()}${errors}`
  }

  /** The arguments for the headers of a URL; curl computes the length itself. */
  const headersOf = ({ headers }: PresignedUrl): readonly string[] =>
    Object.entries(headers).flatMap(([name, value]) => (name === 'content-length' ? [] : ['-H', `${name}: ${value}`]))

  const fileOf = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  const status = ['-o', '/dev/null', '-w', '%{http_code}'] as const

  it('stores, reads and no longer reads a deleted object with every valid name', async () => {
    const names = [...objectNames]
    const lane = async (): Promise<void> => {
      for (let object = names.pop(); object !== undefined; object = names.pop()) {
        const file = fileOf(`name-${names.length}`, object)
        // With -T, curl appends the name of the file to a URL with a slash at its end.
        const sending = object.endsWith('/') ? ['-X', 'PUT', '--data-binary', `@${file}`] : ['-T', file]
        expect([object, await curl(...status, ...sending, (await plane.upload(object)).url)]).toEqual([object, '200'])
        const { url } = await plane.download(object)
        expect(await curl(url)).toBe(object)
        expect((await plane.api.storage.getObject({ ...plane.at, object })).name).toBe(object)
        await plane.api.storage.deleteObject({ ...plane.at, object })
        expect(await curl(...status, url)).toBe('404')
      }
    }
    await Promise.all([lane(), lane(), lane()])
  })

  it('uploads under all conditions, from a file and from a pipe', async () => {
    const file = fileOf('hello', 'hello')
    const conditioned = await plane.upload('conditions', {
      content_type: 'text/plain',
      content_length: 5,
      checksum_sha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
      content_md5: 'XUFAKrxLKna5cZ2REBfFkg==',
      content_disposition: 'attachment; filename="a.txt"',
      content_language: 'en',
      cache_control: 'max-age=60',
      if_none_match: '*',
      custom_metadata: { project: 'spring launch' },
    })
    const upload = [...headersOf(conditioned), '-T', file, conditioned.url]
    expect(await curl(...status, ...upload)).toBe('200')
    expect(await curl(...upload)).toContain('OBJECT_ALREADY_EXISTS')
    expect(await curl(...status, ...upload)).toBe('412')
    const head = await curl('-I', (await plane.download('conditions')).url)
    for (const line of ['content-length: 5', 'content-type: text/plain', 'x-amz-meta-project: spring launch'])
      expect(head.toLowerCase()).toContain(line)
    const piped = await run('curl', ['-sS', '-T', '-', (await plane.upload('piped')).url], 'from a pipe')
    expect([piped.errors, await curl((await plane.download('piped')).url)]).toEqual(['', 'from a pipe'])
    const bound = await plane.upload('bound', { content_length: 5 })
    expect((await run('curl', ['-sS', '-T', '-', bound.url], 'hello')).output.toString()).toContain(
      'CONTENT_LENGTH_REQUIRED',
    )
  })

  it('reads ranges, resumes a download, and reads only what has changed', async () => {
    const content = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 13) % 251)
    const large = fileOf('large', content)
    // curl asks with `Expect: 100-continue` before it sends a large body.
    expect(await curl(...status, '-T', large, (await plane.upload('large')).url)).toBe('200')
    const { url } = await plane.download('large')
    const ranged = await run('curl', ['-sS', '-r', '1000-1999', url])
    expect(ranged.output.equals(Buffer.from(content.subarray(1000, 2000)))).toBe(true)
    const suffix = await run('curl', ['-sS', '-r', '-7', url])
    expect(suffix.output.equals(Buffer.from(content.subarray(-7)))).toBe(true)
    const part = fileOf('resumed', content.subarray(0, 1_234_567))
    await curl('-C', '-', '-o', part, url)
    expect(readFileSync(part).equals(Buffer.from(content))).toBe(true)
    const tag = join(folder, 'etag')
    expect(await curl(...status, '--etag-save', tag, url)).toBe('200')
    expect(await curl(...status, '--etag-compare', tag, url)).toBe('304')
    expect(await curl(...status, '-z', new Date(Date.now() + 60_000).toUTCString(), url)).toBe('304')
  })

  it('is told the reason when it changes a request', async () => {
    const file = fileOf('changed', 'hello')
    const { url } = await plane.upload('changed', { content_type: 'text/plain' })
    expect(await curl('-T', file, '-H', 'Content-Type: text/html', url)).toContain('SIGNATURE_INVALID')
    expect(await curl('-T', file, `${url}&acl=public`)).toContain('SIGNATURE_INVALID')
    expect(await curl('-X', 'DELETE', url)).toContain('ROUTE_NOT_FOUND')
    const signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', 'AKIAIOSFODNN7EXAMPLE:secret']
    expect(await curl(...signed, '-T', file, url.replace(/\?.*/, ''))).toContain('none in the header Authorization')
  })
})
