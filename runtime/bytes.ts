/**
 * The bytes of a body that is not JSON. A caller may give any of the three; a handler and a client always receive a
 * `ReadableStream`, which they read at their own pace.
 */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>

/** Whether a value is one of the three. */
export function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array || value instanceof Blob || value instanceof ReadableStream
}

/** What is given item by item as a stream, pulled no faster than that is read; leaving it early ends the items. */
export function streamOf<Item>(
  items: AsyncIterable<Item>,
  write: (item: Item) => Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = items[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await iterator.next()
          if (next.done === true) controller.close()
          else controller.enqueue(write(next.value))
        } catch (error) {
          await iterator.return?.()
          throw error
        }
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The same stream, pulled no faster; `ended` is told once how it ended: read to its end, left early, or broken. */
export function watched(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  ended: (how: 'read' | 'left' | 'broken', error?: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  let isLeft = false
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await reader.read().catch((error: unknown) => {
          ended('broken', error)
          throw error
        })
        if (isLeft) return
        if (next.done) ended('read')
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel(reason) {
        isLeft = true
        ended('left')
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
