import type { IncomingMessage } from 'node:http'
import { createGunzip, type Gunzip } from 'node:zlib'

/** The largest body in bytes, after its content coding is undone. */
export const maxBodyBytes = 10 * 2 ** 20

/** The error of a body that is larger than `maxBodyBytes`. */
export class LargeBody extends Error {
  constructor() {
    super('the body of the response is larger than 10 MiB')
  }
}

/** The bytes of all bodies that are read at one time, so that many large responses cannot fill the memory. */
const maxReadBytes = 256 * 2 ** 20

/** The bytes of the bodies that are being read. */
let readBytes = 0

/**
 * Returns the body of a response without its content coding, and ends the connection. Rejects with an Error for a longer
 * body and for another coding than gzip.
 */
export async function readBody(response: IncomingMessage): Promise<Buffer> {
  const coding = response.headers['content-encoding']?.trim().toLowerCase() ?? ''
  try {
    if (coding === '' || coding === 'identity') return await gather(response)
    if (coding === 'gzip' || coding === 'x-gzip') return await gather(inflated(response))
    throw new Error('the response has a content coding other than gzip')
  } finally {
    response.destroy()
  }
}

/** Returns the bytes of a gzip body; a fault of the connection is a fault of the bytes. */
function inflated(response: IncomingMessage): Gunzip {
  const gunzip = createGunzip()
  response.on('error', error => gunzip.destroy(error))
  return response.pipe(gunzip)
}

async function gather(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      readBytes += chunk.length
      if (size > maxBodyBytes) throw new LargeBody()
      if (readBytes > maxReadBytes) throw new Error('the platform reads too many large responses at this time')
      all.push(chunk)
    }
    return Buffer.concat(all, size)
  } finally {
    readBytes -= size
  }
}
