import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventStream, jsonLines } from '../../../runtime/items.ts'
import type { StreamCodec } from '../../../runtime/media.ts'
import { all } from './hosted.ts'

const encoder = new TextEncoder()

/** Returns a stream of these pieces, which calls `left` when the reader cancels the stream. */
function streamOf(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  left: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const rest = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
    cancel: left,
  })
}

const read = (codec: StreamCodec, ...pieces: readonly string[]) =>
  all(codec.readAnswer(streamOf(pieces.map(piece => encoder.encode(piece)))))

async function* given(items: readonly unknown[]) {
  yield* items
}

/** Returns the bytes in pieces; `places` has the ends of the pieces as fractions of the length. */
function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): readonly Uint8Array<ArrayBuffer>[] {
  const at = places.map(place => Math.floor(place * bytes.length)).sort((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.slice(from, at[index] ?? bytes.length))
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

describe('the parsed items equal the written items, for any cut of the bytes', () => {
  test.each<[name: string, codec: StreamCodec, item: fc.Arbitrary<unknown>]>([
    ['JSON lines', jsonLines(), fc.jsonValue()],
    ['events of JSON', eventStream(), fc.jsonValue()],
    ['events of text', eventStream({ isText: true }), fc.string({ unit: 'grapheme' }).map(text => text.replace(/\r\n?/g, '\n'))],
  ])('%s', async (_name, codec, item) => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5 }), places, async (items, where) => {
        const bytes = new Uint8Array(await new Response(codec.write(given(items))).arrayBuffer())
        const found = await all(codec.readAnswer(streamOf(cut(bytes, where))))
        expect(found).toEqual(JSON.parse(JSON.stringify(items)))
      }),
    )
  }) // prettier-ignore
})

describe('events are parsed by the HTML standard', () => {
  const text = eventStream({ isText: true })
  const whole = eventStream({ isText: true, isWhole: true })

  test.each<[what: string, pieces: readonly string[], items: readonly unknown[]]>([
    ['lines of data are joined', ['data: a\ndata:b\ndata\n\n'], ['a\nb\n']],
    ['one blank is dropped', ['data:  a\n\ndata:b\n\n'], [' a', 'b']],
    ['all line ends count', ['data: a\r\rdata: b\r\n\r\ndata: c\n\n'], ['a', 'b', 'c']],
    ['a line end may be cut', ['data: a\r', '\n\r', '\ndata: b\r', '\r'], ['a', 'b']],
    ['comments and unknown fields are skipped', [': keep-alive\n\n:\ndata: a\nfoo: b\nbar\n\n'], ['a']],
    ['an event without data is ignored', ['event: a\nid: 1\n\ndata: b\n\n'], ['b']],
    ['an event without its end is ignored', ['data: a\n\ndata: b\n'], ['a']],
    ['a byte order mark is dropped', ['\ufeffdata: a\n\n'], ['a']],
    ['empty data is some', ['data:\n\n'], ['']],
    ['nothing is nothing', [], []],
  ])('%s', async (_what, pieces, items) => {
    expect(await read(text, ...pieces)).toEqual(items)
  })

  test.each<[what: string, sent: string, items: readonly unknown[]]>([
    ['name, id and time', 'event: e\nid: 1\nretry: 5\ndata: a\n\n', [{ event: 'e', id: '1', retry: 5, data: 'a' }]],
    ['an id holds for the events that follow', 'id: 1\ndata: a\n\ndata: b\n\n', [{ id: '1', data: 'a' }, { id: '1', data: 'b' }]],
    ['an id without data holds too', 'id: 1\n\ndata: b\n\n', [{ id: '1', data: 'b' }]],
    ['an empty id', 'id\ndata: a\n\n', [{ id: '', data: 'a' }]],
    ['an id with a NUL is ignored', 'id: 1\nid: \0\ndata: a\n\n', [{ id: '1', data: 'a' }]],
    ['a name holds for one event', 'event: e\ndata: a\n\ndata: b\n\n', [{ event: 'e', data: 'a' }, { data: 'b' }]],
    ['an empty name is ignored', 'event: e\nevent:\ndata: a\n\n', [{ data: 'a' }]],
    ['a malformed time is ignored', 'retry: 1s\ndata: a\n\n', [{ data: 'a' }]],
  ])('%s', async (_what, sent, items) => {
    expect(await read(whole, sent)).toEqual(items)
  }) // prettier-ignore

  test('invalid characters are replaced', async () => {
    const pieces = [new Uint8Array([...encoder.encode('data: a'), 0xff, 0x0a, 0x0a])]
    expect(await all(text.readAnswer(streamOf(pieces)))).toEqual(['a\ufffd'])
  })
})

describe('an item that cannot be sent is refused', () => {
  const sent = (codec: StreamCodec, ...items: readonly unknown[]) => new Response(codec.write(given(items))).text()

  test.each(['a\nb', 'a\rb', 'a\0b'])('a name or id of several lines: %j', async text => {
    const whole = eventStream({ isWhole: true })
    await expect(sent(whole, { event: text, data: 1 })).rejects.toThrow('the event of an event must be one line')
    await expect(sent(whole, { id: text, data: 1 })).rejects.toThrow('the id of an event must be one line')
  })

  test('an item that JSON cannot represent', async () => {
    await expect(sent(jsonLines(), undefined)).rejects.toThrow('must be a JSON value')
    await expect(sent(jsonLines(), () => 1)).rejects.toThrow('must be a JSON value')
  })

  test.each([undefined, [1], { n: 1 }, 'text'])('a value that is not an AsyncIterable: %j', items => {
    expect(() => jsonLines().write(items)).toThrow('the body must be an AsyncIterable')
  })

  test('the source of a refused item is ended', async () => {
    let ended = false
    async function* source() {
      try {
        yield undefined
        yield 1
      } finally {
        ended = true
      }
    }
    await expect(new Response(jsonLines().write(source())).text()).rejects.toThrow()
    expect(ended).toBe(true)
  })
})

describe('responses', () => {
  test.each([
    [{}, [{ n: 1 }]],
    [{ isWhole: true }, [{ data: { n: 1 } }]],
    [{ isText: true }, ['{"n":1}', '[DONE]', '2']],
  ] as const)('of events end with [DONE], unless their data is text: %j', async (form, items) => {
    expect(await read(eventStream(form), 'data: {"n":1}\n\ndata: [DONE]\n\n', 'data: 2\n\n')).toEqual(items)
  })

  test('that are not JSON violate the contract', async () => {
    await expect(read(jsonLines(), '{"n":1}\n{"n":')).rejects.toMatchObject({
      reason: 'ANSWER_INVALID',
      message: 'body[1] of the answer must be valid JSON',
    })
  })

  test('are yielded up to the fault', async () => {
    const found: unknown[] = []
    const items = jsonLines().readAnswer(streamOf([encoder.encode('1\n2\nx\n')]))
    const reading = async () => {
      for await (const item of items) found.push(item)
    }
    await expect(reading()).rejects.toThrow('body[2]')
    expect(found).toEqual([1, 2])
  })

  test('that the caller abandons end the call', async () => {
    let isLeft = false
    const stream = streamOf([encoder.encode('1\n'), encoder.encode('2\n')], () => (isLeft = true))
    for await (const item of jsonLines().readAnswer(stream)) if (item === 1) break
    expect(isLeft).toBe(true)
  })

  test('that break off are reported as a lost connection', async () => {
    const error = new TypeError('terminated')
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: controller => controller.error(error) })
    await expect(all(jsonLines().readAnswer(stream))).rejects.toMatchObject({
      reason: 'CONNECTION_FAILED',
      message: 'the answer broke off: TypeError: terminated',
    })
  })
})
