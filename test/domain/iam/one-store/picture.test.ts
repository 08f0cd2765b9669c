import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pictureOf, type PictureType } from '../../../../domain/iam/pictures/picture.ts'
import {
  animationFrame,
  extended,
  jfif,
  jpeg,
  jpegEnd,
  jpegFrame,
  jpegOf,
  jpegSegment,
  jpegStart,
  lossless,
  lossy,
  png,
  pngChunk,
  pngHeader,
  pngOf,
  pngSignature,
  secret,
  usual,
  webp,
  webpChunk,
} from '../pictures.ts'

const exif = `Exif\0\0${secret}`
const large = { width: 4000, height: 3000 }

/**
 * Pictures, each with its expected stored form: without metadata, fill bytes and trailing bytes, but with colour data.
 */
const stripped: readonly (readonly [name: string, type: PictureType, picture: Buffer, rest: Buffer])[] = [
  ['a plain PNG', 'image/png', png(), png()],
  ...['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'prVt'].map(
    type => [`a PNG with ${type}`, 'image/png', png(pngChunk(type, secret)), png()] as const,
  ),
  [
    'a PNG with colours',
    'image/png',
    png(pngChunk('PLTE', 'abc'), pngChunk('tRNS', 'a')),
    png(pngChunk('PLTE', 'abc'), pngChunk('tRNS', 'a')),
  ],
  ['a PNG with something behind its end', 'image/png', Buffer.concat([png(), Buffer.from(secret)]), png()],
  ['a plain JPEG', 'image/jpeg', jpeg(), jpeg()],
  ['a JPEG with EXIF', 'image/jpeg', jpeg(jpegSegment(0xe1, exif)), jpeg()],
  ['a JPEG with XMP', 'image/jpeg', jpeg(jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`)), jpeg()],
  ['a JPEG with IPTC', 'image/jpeg', jpeg(jpegSegment(0xed, `Photoshop 3.0\0${secret}`)), jpeg()],
  ['a JPEG with a comment', 'image/jpeg', jpeg(jpegSegment(0xfe, secret)), jpeg()],
  ['a JPEG with another picture in it', 'image/jpeg', jpeg(jpegSegment(0xe2, `MPF\0${secret}`)), jpeg()],
  ['a JPEG with a thumbnail', 'image/jpeg', jpeg(jfif(Buffer.from(secret.padEnd(27)), 3)), jpeg(jfif())],
  ['a JPEG with a thumbnail of its own', 'image/jpeg', jpeg(jpegSegment(0xe0, `JFXX\0${secret}`)), jpeg()],
  [
    'a JPEG with colours',
    'image/jpeg',
    jpeg(jpegSegment(0xe2, 'ICC_PROFILE\0..'), jpegSegment(0xee, 'Adobe..')),
    jpeg(jpegSegment(0xe2, 'ICC_PROFILE\0..'), jpegSegment(0xee, 'Adobe..')),
  ],
  ['a JPEG with something behind its end', 'image/jpeg', Buffer.concat([jpeg(), Buffer.from(secret)]), jpeg()],
  [
    'a JPEG with fill bytes',
    'image/jpeg',
    jpeg(Buffer.from([0xff, 0xff]), jpegSegment(0xdb, 't')),
    jpeg(jpegSegment(0xdb, 't')),
  ],
  ['a lossy WebP', 'image/webp', webp(lossy()), webp(lossy())],
  ['a lossless WebP', 'image/webp', webp(lossless()), webp(lossless())],
  [
    'a WebP with EXIF and XMP',
    'image/webp',
    webp(extended(), lossy(), webpChunk('EXIF', exif), webpChunk('XMP ', secret)),
    webp(extended(usual, 0b0011_0000), lossy()),
  ],
  ['a plain WebP with more than a picture', 'image/webp', webp(lossy(), webpChunk('EXIF', exif)), webp(lossy())],
  [
    'a WebP with something behind its end',
    'image/webp',
    Buffer.concat([webp(lossy()), Buffer.from(secret)]),
    webp(lossy()),
  ],
  [
    'a WebP that moves',
    'image/webp',
    webp(extended(), webpChunk('ANIM', '......'), animationFrame(lossless(), webpChunk('EXIF', exif))),
    webp(extended(usual, 0b0011_0000), webpChunk('ANIM', '......'), animationFrame(lossless())),
  ],
]

describe('the stored form of a picture', () => {
  it.each(stripped)('%s', (_name, type, picture, rest) => {
    expect(pictureOf(picture, type)).toEqual({ data: rest, ...usual })
    expect(rest.includes(secret)).toBe(false)
  })

  it.each(stripped)('stays the same when it is stored again: %s', (_name, type, _picture, rest) => {
    expect(pictureOf(rest, type)?.data).toEqual(rest)
  })
})

const broken: readonly (readonly [name: string, type: PictureType, data: Buffer])[] = [
  ['nothing', 'image/png', Buffer.alloc(0)],
  ['a JPEG that is said to be a PNG', 'image/png', jpeg()],
  ['a PNG that is said to be a WebP', 'image/webp', png()],
  ['a WebP that is said to be a JPEG', 'image/jpeg', webp(lossy())],
  ['a GIF', 'image/png', Buffer.from('GIF89a')],
  ['an SVG', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a PNG without an end', 'image/png', png().subarray(0, -12)],
  ['a PNG that is cut off', 'image/png', png().subarray(0, -1)],
  ['a PNG without pixels', 'image/png', Buffer.concat([pngSignature, pngHeader(), pngChunk('IEND')])],
  ['a PNG whose header comes late', 'image/png', Buffer.concat([pngSignature, pngChunk('tEXt'), png().subarray(8)])],
  ['a PNG with two headers', 'image/png', png(pngHeader(large))],
  ['a PNG with a chunk as long as can be said', 'image/png', png(pngChunk('tEXt', 'x', 0xffff_ffff))],
  ['a PNG with a chunk that ends behind it', 'image/png', png(pngChunk('tEXt', 'x', 100_000))],
  ['a PNG with a chunk that must be understood', 'image/png', png(pngChunk('QQQQ', 'x'))],
  ['a PNG with a chunk without a name', 'image/png', png(pngChunk('\0\0\0\0', 'x'))],
  ['a JPEG without an end', 'image/jpeg', jpeg().subarray(0, -2)],
  ['a JPEG that ends within a segment', 'image/jpeg', jpeg().subarray(0, 30)],
  ['a JPEG without a scan', 'image/jpeg', Buffer.concat([jpegStart, jpegFrame(), jpegEnd])],
  ['a JPEG without a frame', 'image/jpeg', Buffer.concat([jpegStart, jpegSegment(0xda, 'x'), jpegEnd])],
  ['a JPEG with two frames', 'image/jpeg', jpeg(jpegFrame(large))],
  ['a JPEG with a segment that is shorter than its length', 'image/jpeg', jpeg(jpegSegment(0xfe, '', 1))],
  ['a JPEG with a segment that ends behind it', 'image/jpeg', jpeg(jpegSegment(0xfe, 'x', 0xffff))],
  ['a JPEG with a segment of no length', 'image/jpeg', jpeg(jpegSegment(0xfe, '', 0))],
  ['a JPEG without loss, which browsers do not show', 'image/jpeg', jpegOf(usual, 0xc3)],
  ['a JPEG of fill bytes only', 'image/jpeg', Buffer.concat([jpegStart, Buffer.alloc(1000, 0xff)])],
  ['a WebP that is longer than it says', 'image/webp', webpChunk('RIFF', 'WEBP', 4)],
  ['a WebP that says it is longer', 'image/webp', webp(lossy()).subarray(0, -2)],
  ['a WebP with a chunk as long as can be said', 'image/webp', webp(extended(), webpChunk('EXIF', 'xx', 0xffff_ffff))],
  ['a WebP with a chunk that is cut off', 'image/webp', webp(extended(), lossy(), Buffer.from('EXIF'))],
  ['a WebP without a picture', 'image/webp', webp(extended())],
  ['a WebP whose picture is larger than its header says', 'image/webp', webp(extended(), lossy(large))],
  ['a WebP with a frame larger than its header says', 'image/webp', webp(extended(), animationFrame(lossless(large)))],
  ['a WebP with a frame that is cut off', 'image/webp', webp(extended(), webpChunk('ANMF', 'short'))],
  ['a WebP with a short header', 'image/webp', webp(webpChunk('VP8X', '1234'), lossy())],
  ['a WebP that begins with something else', 'image/webp', webp(webpChunk('EXIF', exif), lossy())],
]

it.each(broken)('a faulty picture is refused: %s', (_name, type, data) => expect(pictureOf(data, type)).toBe(undefined))

it.each([
  ['image/png', pngOf(large)],
  ['image/jpeg', jpegOf(large)],
  ['image/jpeg', jpegOf(large, 0xc2)],
  ['image/webp', webp(lossy(large))],
  ['image/webp', webp(extended(large), lossless(large))],
] as const)('the sides of %s are those in its header', (type, data) => {
  expect(pictureOf(data, type)).toMatchObject(large)
})

const whole = {
  'image/png': png(pngChunk('tEXt', secret)),
  'image/jpeg': jpeg(jpegSegment(0xe1, exif)),
  'image/webp': webp(extended(), lossy(), webpChunk('EXIF', exif)),
} as const

describe('a manipulated picture', () => {
  it.each(Object.keys(whole))('never throws, and its stored form is stable: %s', name => {
    const type = name as PictureType
    const changes = fc.array(fc.tuple(fc.nat(whole[type].length - 1), fc.nat(255)), { maxLength: 8 })
    const cut = fc.nat(whole[type].length)
    fc.assert(
      fc.property(changes, cut, (changed, end) => {
        const data = Buffer.from(whole[type])
        for (const [at, byte] of changed) data[at] = byte
        const picture = pictureOf(data.subarray(0, end), type) ?? pictureOf(data, type)
        if (picture) expect(pictureOf(picture.data, type)).toEqual(picture)
      }),
      { numRuns: 2000 },
    )
  })
})
