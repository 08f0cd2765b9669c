import type { Chunks } from '../../runtime/media.ts'

type Chunk = Uint8Array<ArrayBuffer>

/** Returns a body that ends where it fails, so that the bytes before are written; `failed` receives the error. */
export async function* untilFailure(
  body: Chunks,
  failed: (error: unknown) => void,
): AsyncGenerator<Chunk, void, undefined> {
  try {
    yield* body
  } catch (error) {
    failed(error)
  }
}
