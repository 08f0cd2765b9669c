import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AvatarInput } from '../../../output/iam/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { testStore } from '../../server/store/harness.ts'
import {
  jpeg,
  jpegOf,
  jpegSegment,
  png,
  pngChunk,
  pngOf,
  secret,
  webp,
  extended,
  lossy,
  webpChunk,
} from './pictures.ts'
import { activeUser, usersPlatform } from './users-platform.ts'
import { collections } from './iam-environment.ts'
import { outcomeOf } from '../outcomes.ts'

const bodyOf = (data: Buffer, content_type: AvatarInput['content_type'] = 'image/png'): AvatarInput => ({
  content_type,
  data: data.toString('base64'),
})

async function caller() {
  const platform = usersPlatform(await testStore(...collections))
  const id = await activeUser(platform)
  return { ...platform, id, me: platform.as(id) }
}

it.each([
  ['image/png', png(pngChunk('eXIf', secret)), png()],
  ['image/jpeg', jpeg(jpegSegment(0xe1, `Exif\0\0${secret}`)), jpeg()],
  ['image/webp', webp(extended(), lossy(), webpChunk('EXIF', secret)), webp(extended(undefined, 0x30), lossy())],
] as const)('a picture of %s is returned as it is stored, without metadata', async (content_type, sent, kept) => {
  const { as, id, me } = await caller()
  expect(await outcomeOf(me.getMyAvatar({}))).toBe('AVATAR_NOT_FOUND')
  const operation = await me.setMyAvatar({ body: bodyOf(sent, content_type) })
  expect(operation).toMatchObject({ resource_type: 'iam.users', resource_id: id })
  const avatar = await me.getMyAvatar({})
  expect(avatar).toEqual({
    content_type,
    data: kept.toString('base64'),
    size_bytes: kept.length,
    width: 64,
    height: 32,
    sha256: createHash('sha256').update(kept).digest('hex'),
    etag: avatar.etag,
    updated: '2026-03-01T12:00:00.000Z',
  })
  expect(await as().getUserAvatar({ id })).toEqual(avatar)
  expect(await as().getUser({ id })).toMatchObject({ has_avatar: true })
  await me.deleteMyAvatar({})
  expect(await as().getUser({ id })).toMatchObject({ has_avatar: false })
  expect(await outcomeOf(as().getUserAvatar({ id }))).toBe('AVATAR_NOT_FOUND')
  expect(await outcomeOf(me.deleteMyAvatar({}))).toBe('AVATAR_NOT_FOUND')
})

const padded = (length: number): Buffer => png(pngChunk('tEXt', 'x'.repeat(length - png().length - 12)))
const limit = 256 * 1024

it.each([
  ['of the size that may be', bodyOf(padded(limit)), 'OK', undefined],
  ['one byte larger', bodyOf(padded(limit + 1)), 'AVATAR_TOO_LARGE', 'data'],
  ['of another type than is said', bodyOf(png(), 'image/webp'), 'AVATAR_TYPE_MISMATCH', 'data'],
  ['that is cut off', bodyOf(jpeg().subarray(0, 40), 'image/jpeg'), 'AVATAR_TYPE_MISMATCH', 'data'],
  ['of nothing', bodyOf(Buffer.alloc(0)), 'AVATAR_TYPE_MISMATCH', 'data'],
  ['as small as may be', bodyOf(pngOf({ width: 16, height: 16 })), 'OK', undefined],
  ['as large as may be', bodyOf(pngOf({ width: 1024, height: 1024 })), 'OK', undefined],
  ['too narrow', bodyOf(pngOf({ width: 15, height: 16 })), 'AVATAR_DIMENSIONS', 'data'],
  ['too low', bodyOf(pngOf({ width: 16, height: 15 })), 'AVATAR_DIMENSIONS', 'data'],
  ['too wide', bodyOf(pngOf({ width: 1025, height: 16 })), 'AVATAR_DIMENSIONS', 'data'],
  ['too high', bodyOf(jpegOf({ width: 16, height: 1025 }), 'image/jpeg'), 'AVATAR_DIMENSIONS', 'data'],
  ['of no sides', bodyOf(pngOf({ width: 0, height: 0 })), 'AVATAR_DIMENSIONS', 'data'],
  ['of sides beyond all measure', bodyOf(pngOf({ width: 0xffff_ffff, height: 16 })), 'AVATAR_DIMENSIONS', 'data'],
  ['with data that is not base64', { content_type: 'image/png', data: 'iVBOR*==' }, 'FIELD_INVALID', 'data'],
  ['of a type that is not kept', { content_type: 'image/gif', data: '' }, 'FIELD_INVALID', 'content_type'],
] as const)('a picture %s: %s', async (_name, body, reason, field) => {
  const { me } = await caller()
  const error = await me.setMyAvatar({ body: body as AvatarInput }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error instanceof ApiError ? error.reason : 'OK').toBe(reason)
  if (error instanceof ApiError) expect(error.details.badRequest?.[0]?.field).toBe(field)
})

it.each([
  ['', 'OK'],
  ['*', 'OK'],
  ['content_type,data', 'OK'],
  ['data,content_type', 'OK'],
  ['data', 'UPDATE_MASK_INVALID'],
  ['content_type', 'UPDATE_MASK_INVALID'],
  ['width', 'UPDATE_MASK_INVALID'],
  ['data,content_type,name', 'UPDATE_MASK_INVALID'],
])('a mask "%s": %s', async (update_mask, reason) => {
  const { me } = await caller()
  expect(await outcomeOf(me.setMyAvatar({ update_mask, body: bodyOf(png()) }))).toBe(reason)
})

it('a picture is replaced completely or not at all', async () => {
  const { me } = await caller()
  expect(await outcomeOf(me.setMyAvatar({ body: { content_type: 'image/png' } }))).toBe('FIELD_INVALID')
  expect(await outcomeOf(me.setMyAvatar({ body: { data: '' } }))).toBe('FIELD_INVALID')
})

it('a picture changes only with the etag that the caller has read, if the call has one', async () => {
  const { me } = await caller()
  await me.setMyAvatar({ body: bodyOf(png()) })
  const { etag } = await me.getMyAvatar({})
  expect(await outcomeOf(me.setMyAvatar({ body: { ...bodyOf(pngOf({ width: 20, height: 20 })), etag: 'no' } }))).toBe(
    'ETAG_MISMATCH',
  )
  expect(await outcomeOf(me.deleteMyAvatar({ etag: 'no' }))).toBe('ETAG_MISMATCH')
  await me.setMyAvatar({ body: { ...bodyOf(pngOf({ width: 20, height: 20 })), etag } })
  expect(await outcomeOf(me.deleteMyAvatar({ etag }))).toBe('ETAG_MISMATCH')
  await me.deleteMyAvatar({ etag: '*' })
  expect(await outcomeOf(me.setMyAvatar({ body: { ...bodyOf(png()), etag } }))).toBe('ETAG_MISMATCH')
  expect(await outcomeOf(me.setMyAvatar({ body: { ...bodyOf(png()), etag: '*' } }))).toBe('ETAG_MISMATCH')
})

it('a picture changes at most six times within an hour', async () => {
  const { me, world } = await caller()
  const set = (side: number) => outcomeOf(me.setMyAvatar({ body: bodyOf(pngOf({ width: side, height: side })) }))
  const began = world.now
  for (const side of [16, 17, 18, 19, 20]) {
    expect(await set(side)).toBe('OK')
    // Setting the same picture again is not a change.
    expect(await set(side)).toBe('OK')
    world.now += 60_000
  }
  expect(await set(23)).toBe('OK')
  expect(await set(21)).toBe('RATE_LIMITED')
  world.now = began + 3_599_999
  expect(await set(21)).toBe('RATE_LIMITED')
  world.now += 1
  expect(await set(21)).toBe('OK')
  expect(await set(22)).toBe('RATE_LIMITED')
  // A deletion is no such change: a user may remove a picture at any time.
  expect(await outcomeOf(me.deleteMyAvatar({}))).toBe('OK')
  expect(await set(22)).toBe('RATE_LIMITED')
})
