import { describe, expect, it } from 'vitest'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { tenantStorage } from '../tenant-storage.ts'
import { requestOf, sendRaw } from './raw-request.ts'

/** Returns custom metadata with names of two characters and empty values. */
const shortKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [(i + 36).toString(36).padStart(2, '0'), '']))

it('a URL that is signed can be used, however many keys and long names it has', async () => {
  const { admin, at, platform } = await tenantStorage()
  const { storage } = admin.api
  const object = '😀'.repeat(256)
  const outcomes = new Set<string>()
  for (const count of [1, 500, 600, 700, 790, 800, 900, 1024]) {
    const body = { object, custom_metadata: shortKeys(count) }
    const url = await storage.createPresignedUploadUrl({ ...at, body }).catch((error: unknown) => error)
    if (url instanceof Error) {
      expect(url).toMatchObject({ reason: 'FIELD_INVALID', details: { badRequest: [{ field: 'custom_metadata' }] } })
      outcomes.add('refused')
      continue
    }
    expect(await sendRaw(platform, requestOf(url as PresignedUrl, 'hello'))).toMatchObject({ status: 200 })
    const { custom_metadata } = await storage.getObjectMetadata({ ...at, object })
    expect(Object.keys(custom_metadata)).toHaveLength(count)
    outcomes.add('used')
  }
  expect(outcomes).toEqual(new Set(['used', 'refused']))
})

describe('the headers of an upload that no URL signs', () => {
  it.each([
    ['no media type', {}, 'application/octet-stream'],
    ['an empty media type', { 'content-type': '' }, 'application/octet-stream'],
    ['a media type', { 'content-type': 'text/plain; charset=utf-8' }, 'text/plain; charset=utf-8'],
    ['a media type of 255 characters', { 'content-type': 'x/'.padEnd(255, 'x') }, 'x/'.padEnd(255, 'x')],
    ['a coding and a language', { 'content-encoding': 'gzip', 'content-language': 'en' }, 'application/octet-stream'],
    ['a condition', { 'if-none-match': '*', 'if-match': '"x"' }, 'application/octet-stream'],
  ])('%s are taken or ignored', async (_, headers, content_type) => {
    const { admin, at, get, platform, put } = await tenantStorage()
    await put('a', 'before')
    const url = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } })
    const request = requestOf(url, 'hello')
    expect(await sendRaw(platform, { ...request, headers: { ...request.headers, ...headers } })).toMatchObject({
      status: 200,
    })
    const unset = { content_encoding: '', content_language: '' }
    expect(await admin.api.storage.getObjectMetadata({ ...at, object: 'a' })).toMatchObject({ content_type, ...unset })
    const answer = await get('a')
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([content_type, 'hello'])
  })

  it.each([
    ['a media type of 256 characters', { 'content-type': 'x/'.padEnd(256, 'x') }, 'Content-Type'],
    ['a media type of other letters', { 'content-type': 'text/\u00e9' }, 'Content-Type'],
    ['a media type with a tab', { 'content-type': 'text/a\tb' }, 'Content-Type'],
    ['a part of a content', { 'content-range': 'bytes 0-4/9' }, 'Content-Range'],
  ])('%s are refused, and change nothing', async (_, headers, field) => {
    const { admin, at, get, platform, put, usage } = await tenantStorage()
    await put('a', 'before')
    const before = await usage()
    const url = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } })
    const request = requestOf(url, 'hello')
    const answer = await sendRaw(platform, { ...request, headers: { ...request.headers, ...headers } })
    expect(answer).toMatchObject({ status: 400, reason: 'FIELD_INVALID', message: expect.stringContaining(field) })
    expect(await (await get('a')).text()).toBe('before')
    expect(await usage()).toEqual(before)
  })
})
